// The program's editor: CodeMirror 6 with Python, in a shadow root, because there its styles become adopted style sheets,
// which a content security policy without 'unsafe-inline' allows.
//
// Colours are the page's custom properties, so both themes are one.

import { autocompletion, closeBrackets, closeBracketsKeymap, completeFromList, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: 'var(--size-code)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.65', fontVariantLigatures: 'none' },
  '.cm-content': { padding: '10px 0 14px', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 14px 0 6px' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--code-comment)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 10px 0 14px', minWidth: '28px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': { backgroundColor: 'var(--code-active)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)', borderLeftWidth: '1.5px' },
  '& .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { background: 'var(--selection)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--tint)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--tint)', outline: '1px solid var(--line-strong)' },
  '.cm-failed': { backgroundColor: 'var(--danger-tint)', boxShadow: 'inset 3px 0 var(--danger)' },
  '.cm-panels': { backgroundColor: 'var(--sunk)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-textfield': { backgroundColor: 'var(--surface)', border: '1px solid var(--line-strong)', borderRadius: '4px', color: 'var(--text)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--raised)', border: '1px solid var(--line-strong)', borderRadius: '4px', color: 'var(--text)' },
  '.cm-searchMatch': { backgroundColor: 'var(--selection)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', border: '1px solid var(--line)', borderRadius: '6px', boxShadow: '0 6px 24px rgb(0 0 0 / 18%)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '0.8125rem' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--tint)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '1.2em' },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.docString], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.self], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--code-comment)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.definition(tags.function(tags.variableName)), tags.className, tags.definition(tags.className)], color: 'var(--code-function)' },
  { tag: tags.invalid, color: 'var(--danger)' },
]);

const markFailed = StateEffect.define();
const failedLine = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = transaction.docChanged ? Decoration.none : marks;
    for (const effect of transaction.effects) {
      if (!effect.is(markFailed)) continue;
      marks = effect.value ? Decoration.set([Decoration.line({ class: 'cm-failed' }).range(effect.value)]) : Decoration.none;
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export class Editor {
  // `host`: the element that becomes the editor. `completions`: [{label, detail, info}] offered beside Python's own.
  // `onRun`, `onStop`, `onChange`: called without arguments.
  constructor(host, { completions = [], onRun, onStop, onChange }) {
    const root = host.attachShadow({ mode: 'open', delegatesFocus: true });
    const command = (fn) => () => { fn(); return true; };
    this.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        extensions: [
          Prec.highest(keymap.of([
            { key: 'Mod-Enter', run: command(onRun) },
            { key: 'Shift-Enter', run: command(onRun) },
            { key: 'Mod-.', run: command(onStop) },
          ])),
          lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(),
          search({ top: true }),
          autocompletion(),
          python(),
          python().language.data.of({ autocomplete: completeFromList(completions) }),
          indentUnit.of('    '),
          EditorState.tabSize.of(4),
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
          look, syntaxHighlighting(colours), failedLine,
          EditorView.contentAttributes.of({ 'aria-label': 'Python program. Escape, then Tab, leaves the editor.', spellcheck: 'false' }),
          EditorView.updateListener.of((update) => { if (update.docChanged) onChange(); }),
        ],
      }),
    });
  }

  get text() { return this.view.state.doc.toString(); }

  // Replaces the program; one step of undo.
  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  // Marks the line (from 1) where the program failed; 0 none.
  markLine(line) {
    const { doc } = this.view.state;
    this.view.dispatch({ effects: markFailed.of(line >= 1 && line <= doc.lines ? doc.line(line).from : null) });
  }

  // Puts the cursor on a line and focuses the editor.
  goToLine(line) {
    const { doc } = this.view.state;
    const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    this.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    this.view.focus();
  }

  focus() { this.view.focus(); }
}
