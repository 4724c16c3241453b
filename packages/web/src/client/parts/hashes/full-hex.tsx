import type { ReactNode } from 'react'
import { CopyButton } from '../copy-button.tsx'

export interface FullHexProps {
  readonly hex: string
  /** For people: "the state root". */
  readonly what: string
  /** A link with the same digits. */
  readonly children?: ReactNode
}

/** A hash or an address with all its digits and the button that copies it. */
export function FullHex({ hex, what, children }: FullHexProps) {
  return (
    <>
      {children ?? <span className="hex">{hex}</span>} <CopyButton text={hex} what={what} />
    </>
  )
}
