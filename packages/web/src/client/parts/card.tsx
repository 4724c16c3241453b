import { type ReactNode, useId } from 'react'

export interface CardProps {
  readonly title: ReactNode
  readonly aside?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}

export function Card({ title, aside, className = '', children }: CardProps) {
  const id = useId()
  return (
    <section className={`card ${className}`} aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <div className="card-aside">{aside}</div>}
      </div>
      {children}
    </section>
  )
}
