// The sample programs. Each does something that a person would want done on a tree of files.
import compareFiles from './compare_files.py';
import followIncludes from './follow_includes.py';
import keepJournal from './keep_journal.py';
import summarizeTree from './summarize_tree.py';
import twoReads from './two_reads.py';

export const SAMPLES = [
  { name: 'two_reads.py', title: 'Two reads', source: twoReads },
  { name: 'summarize_tree.py', title: 'Summarize a source tree', source: summarizeTree },
  { name: 'follow_includes.py', title: 'Follow includes', source: followIncludes },
  { name: 'compare_files.py', title: 'Compare files', source: compareFiles },
  { name: 'keep_journal.py', title: 'Keep a journal', source: keepJournal },
];
