import { Refusal } from '../data/get-json.ts'

/** Why something is not shown. Errors of services are in their own words. */
export function Notice({ error, what }: { readonly error: Error | null; readonly what: string }) {
  if (error === null) return <p className="loading">Loading {what}.</p>
  const expected = error instanceof Refusal ? error.expected : null
  return (
    <p className="notice-line" role="status">
      {what.charAt(0).toUpperCase() + what.slice(1)} cannot be shown: {error.message}
      {expected === null ? '' : ` (expected: ${expected})`}
    </p>
  )
}
