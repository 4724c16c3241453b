/** The small part of Markdown that answers use. Everything else stays text. */
export interface Span {
  readonly kind: 'text' | 'code' | 'strong' | 'emphasis'
  readonly text: string
}

export type Block =
  | { readonly kind: 'paragraph' | 'heading'; readonly spans: readonly Span[] }
  | { readonly kind: 'list'; readonly isNumbered: boolean; readonly items: readonly (readonly Span[])[] }
  | { readonly kind: 'code'; readonly text: string }

const FENCE = /^\s{0,3}```/
const HEADING = /^#{1,6}\s+(.+)$/
const ITEM = /^\s{0,3}(?:[-*•]|(\d{1,3})[.)])\s+(.+)$/
const SPANS = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*/g

export function parseRichText(text: string): readonly Block[] {
  const blocks: Block[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const item = ITEM.exec(line)
    if (FENCE.test(line)) {
      const close = lines.findIndex((other, i) => i > at && FENCE.test(other))
      const end = close === -1 ? lines.length : close
      blocks.push({ kind: 'code', text: lines.slice(at + 1, end).join('\n') })
      at = end + 1
    } else if (item !== null) {
      const isNumbered = item[1] !== undefined
      const items: (readonly Span[])[] = []
      for (let found: RegExpExecArray | null = item; found !== null && (found[1] !== undefined) === isNumbered; ) {
        items.push(parseSpans(found[2] ?? ''))
        at++
        found = ITEM.exec(lines[at] ?? '')
      }
      blocks.push({ kind: 'list', isNumbered, items })
    } else {
      const heading = HEADING.exec(line)
      if (line.trim() !== '') blocks.push({ kind: heading === null ? 'paragraph' : 'heading', spans: parseSpans(heading?.[1] ?? line) })
      at++
    }
  }
  return blocks
}

function parseSpans(line: string): readonly Span[] {
  const spans: Span[] = []
  let at = 0
  for (const match of line.matchAll(SPANS)) {
    if (match.index > at) spans.push({ kind: 'text', text: line.slice(at, match.index) })
    const [whole, code, strong, emphasis] = match
    const kind = code !== undefined ? 'code' : strong !== undefined ? 'strong' : 'emphasis'
    spans.push({ kind, text: code ?? strong ?? emphasis ?? '' })
    at = match.index + whole.length
  }
  if (at < line.length) spans.push({ kind: 'text', text: line.slice(at) })
  return spans
}
