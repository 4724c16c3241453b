import { useNow } from '../data/use-now.ts'
import { formatAbsolute, formatAgo } from '../format/times.ts'

/** Relative, with the absolute time on hover. */
export function Ago({ ms }: { readonly ms: number }) {
  const now = useNow()
  return (
    <time className="time" dateTime={new Date(ms).toISOString()} title={formatAbsolute(ms)}>
      {formatAgo(ms, now)}
    </time>
  )
}
