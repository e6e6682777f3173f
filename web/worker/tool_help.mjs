// What the editor offers while one types: the tools of the worker, by name.
export const TOOL_HELP = [
  ['workspace.read_text', '(path)', 'The text of a file.'],
  ['workspace.read_bytes', '(path)', 'The bytes of a file.'],
  ['workspace.list', '(path="")', 'Names in a directory; directories end in "/".'],
  ['workspace.glob', '(pattern)', 'Paths of the files that match, such as "**/*.py".'],
  ['workspace.exists', '(path)', 'Whether there is a file or directory.'],
  ['workspace.grep', '(pattern, glob="**", *, regex=False, ignore_case=False)', 'Lines that match, as {"path", "line", "text"}.'],
  ['fetch', '(url)', 'The text behind an address.'],
  ['sleep', '(seconds)', 'Waits.'],
  ['journal.write', '(text)', 'Adds an entry to the journal below the output; gives its number.'],
].map(([label, detail, info]) => ({ label, detail, info, type: 'function' }));
