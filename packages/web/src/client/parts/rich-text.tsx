import type { ReactNode } from 'react'
import { type Block, parseRichText, type Span } from '../format/rich-text.ts'
import './rich-text.css'

export interface RichTextProps {
  readonly text: string
  /** Shows code that means something to the page in another form. */
  readonly showCode?: (props: { readonly text: string }) => ReactNode
}

/** Text of a model or of others: paragraphs, lists, code and emphasis; no HTML, no links, no pictures. */
export function RichText({ text, showCode = CodeBlock }: RichTextProps) {
  return <div className="rich-text">{parseRichText(text).map((block, i) => showBlock(block, i, showCode))}</div>
}

/** Code as it is. */
export function CodeBlock({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
    <pre className="code-block" tabIndex={0}>
      {text}
    </pre>
  )
}

function showBlock(block: Block, key: number, Code: NonNullable<RichTextProps['showCode']>): ReactNode {
  if (block.kind === 'code') return <Code key={key} text={block.text} />
  if (block.kind === 'list') {
    const items = block.items.map((spans, i) => <li key={String(i)}>{spans.map(showSpan)}</li>)
    return block.isNumbered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>
  }
  return (
    <p key={key} className={block.kind === 'heading' ? 'rich-heading' : undefined}>
      {block.spans.map(showSpan)}
    </p>
  )
}

function showSpan({ kind, text }: Span, key: number): ReactNode {
  if (kind === 'code') return <code key={key}>{text}</code>
  if (kind === 'strong') return <strong key={key}>{text}</strong>
  return kind === 'emphasis' ? <em key={key}>{text}</em> : text
}
