import type { ReactNode } from 'react'

/** Seven figures in one frame. */
export function Figures({ children }: { readonly children: ReactNode }) {
  return <dl className="figures">{children}</dl>
}

export interface FigureProps {
  readonly name: string
  readonly value: ReactNode
  readonly unit: ReactNode
  readonly hint?: string
}

export function Figure({ name, value, unit, hint }: FigureProps) {
  return (
    <div className="figure" title={hint}>
      <dt>{name}</dt>
      <dd>
        <strong className="number">{value}</strong> <span className="muted">{unit}</span>
      </dd>
    </div>
  )
}
