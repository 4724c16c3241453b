import type { ReactNode } from 'react'
import { useConfig } from '../../data/config.ts'
import { type L1Thing, l1ExplorerPage } from '../../data/l1-pages.ts'
import { formatCount } from '../../format/amounts.ts'
import { shortHex } from '../../format/hex.ts'
import { Link } from '../../shell/link.tsx'
import { FullHex } from './full-hex.tsx'

interface L1HexProps {
  readonly hex: string
  /** All digits with a copy button. */
  readonly full?: boolean
  /** A page of these pages that shows more than the explorer of L1. */
  readonly page?: string | null
}

export function L1Transaction({ hex, full = false, page = null }: L1HexProps) {
  return <L1Hex thing="tx" what="the hash of the L1 transaction" hex={hex} full={full} page={page} />
}

export function L1Address({ hex, full = false }: Omit<L1HexProps, 'page'>) {
  return <L1Hex thing="address" what="the address on L1" hex={hex} full={full} page={null} />
}

export function L1BlockNumber({ number }: { readonly number: number }) {
  return (
    <L1Link thing="block" id={number} page={null}>
      {formatCount(number)}
    </L1Link>
  )
}

function L1Hex({ thing, what, hex, full, page }: Required<L1HexProps> & { readonly thing: L1Thing; readonly what: string }) {
  const shown = (
    <L1Link thing={thing} id={hex} page={page}>
      {full ? hex : shortHex(hex)}
    </L1Link>
  )
  return full ? (
    <FullHex hex={hex} what={what}>
      {shown}
    </FullHex>
  ) : (
    shown
  )
}

interface L1LinkProps {
  readonly thing: L1Thing
  readonly id: string | number
  readonly page: string | null
  readonly children: ReactNode
}

function L1Link({ thing, id, page, children }: L1LinkProps) {
  const explorer = l1ExplorerPage(useConfig(), thing, id)
  const kind = thing === 'block' ? 'number' : 'hex'
  if (page !== null)
    return (
      <Link className={kind} href={page} title={String(id)}>
        {children}
      </Link>
    )
  if (explorer === null)
    return (
      <span className={kind} title={String(id)}>
        {children}
      </span>
    )
  return (
    <a className={kind} href={explorer} title={`${id}, in the explorer of L1`} rel="noreferrer">
      {children}
    </a>
  )
}
