/** Empty lists of an address, each with a command that changes it if the address can be paid. */
import type { ReactNode } from 'react'
import { useConfig } from '../../data/config.ts'
import { TryIt } from '../../parts/command/try-it.tsx'
import type { OfAddress } from './address-lists.tsx'
import { type PaymentCommands, paymentCommands } from './payment-commands.ts'

export function NoTransaction(of: OfAddress) {
  return (
    <Nothing {...of} payment="deposit" lead="A deposit is one, and needs no balance here:">
      The address has no part in any transaction.
    </Nothing>
  )
}

export function NoDeposit(of: OfAddress) {
  return (
    <Nothing {...of} payment="deposit" lead="This one reaches it:">
      The address has no part in any deposit.
    </Nothing>
  )
}

export function NoWithdrawal(of: OfAddress) {
  return (
    <Nothing {...of} payment="withdrawal" lead="This one pays to it on L1:">
      The address has no part in any withdrawal.
    </Nothing>
  )
}

export function NoToken(of: OfAddress & { readonly children: ReactNode }) {
  return <Nothing {...of} payment="token" lead="A holder of one can send some:" />
}

interface NothingProps extends OfAddress {
  readonly payment: keyof PaymentCommands
  readonly lead: string
  readonly children?: ReactNode
}

function Nothing({ address, code, payment, lead, children }: NothingProps) {
  const commands = paymentCommands(useConfig(), address, code)
  if (commands === null) return <p className="empty">{children}</p>
  return (
    <TryIt command={commands[payment]}>
      {children} {lead}
    </TryIt>
  )
}
