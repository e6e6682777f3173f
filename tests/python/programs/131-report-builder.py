# about: A report object with a fluent interface gathers sections; text is rendered at the end and stored.
# features: class with list attribute, methods returning self, join over attributes, method chaining, __len__
# latency: workspace.read_text=2 summarize=2 db_write=1
# ideal_units: 5
# ideal_why: files 2 -> summaries 2 -> the write 1
# v1_units: 15
# v1_why: methods are opaque
class Report:
    def __init__(self, title):
        self.title, self.sections = title, []

    def add(self, head, text, limit=60):
        self.sections.append((head, summarize(text, limit)))
        return self

    def add_file(self, path, **options):
        return self.add(path.rsplit("/", 1)[-1], workspace.read_text(path), **options)

    def __len__(self):
        return len(self.sections)

    def render(self):
        body = "\n".join(f"## {head}\n{text}" for head, text in self.sections)
        return f"# {self.title}\n{body}"


report = Report("Docs").add_file("docs/install.md").add_file("docs/usage.md", limit=40).add_file("docs/api.md")
report.add("intro", "This is generated. Do not edit.", limit=30)
text = report.render()
db_write("report", text)
print(len(report), len(text))
print(text)
