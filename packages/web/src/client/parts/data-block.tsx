/** Bytes as hex, cut where nobody reads on. */
const MAX_DIGITS = 2_048

export function DataBlock({ hex, bytes = (hex.length - 2) / 2 }: { readonly hex: string; readonly bytes?: number }) {
  if (bytes === 0) return <span className="muted">none</span>
  const shown = hex.slice(0, MAX_DIGITS + 2)
  const left = bytes - (shown.length - 2) / 2
  return (
    <pre className="data-block hex">
      {shown}
      {left > 0 && `… and ${left} more bytes`}
    </pre>
  )
}
