import type { ReactNode } from 'react'

/** Names and values of one thing. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="facts">{children}</dl>
}

export function Fact({ name, hint, children }: { readonly name: string; readonly hint?: string; readonly children: ReactNode }) {
  return (
    <div className="fact">
      <dt title={hint}>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
