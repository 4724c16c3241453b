import { type ReactNode, useId } from 'react'

interface HintProps {
  readonly text: string
  readonly className?: string
  readonly children: ReactNode
}

/** A value with an explanation for mouse, keyboard and screen readers. */
export function Hint({ text, className = '', children }: HintProps) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the explanation is shown on focus
    <span className={`hinted ${className}`} tabIndex={0} aria-describedby={id}>
      {children}
      <span role="tooltip" id={id} className="hint-text">
        {text}
      </span>
    </span>
  )
}
