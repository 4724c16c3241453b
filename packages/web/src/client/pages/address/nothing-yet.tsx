/** Empty lists of an address, each with a command that changes it. */
import type { ReactNode } from 'react'
import { useConfig } from '../../data/config.ts'
import { TryIt } from '../../parts/command/try-it.tsx'
import type { OfAddress } from './address-lists.tsx'

const AMOUNT = '0.1'

export function NoTransaction({ address }: OfAddress) {
  return <NoDeposit address={address}>The address has no part in any transaction. A deposit is one, and needs no balance here:</NoDeposit>
}

export function NoDeposit({ address, children }: OfAddress & { readonly children: ReactNode }) {
  const { commands } = useConfig()
  return <TryIt command={`${commands.deposit} --amount ${AMOUNT} --to ${address}`}>{children}</TryIt>
}

export function NoWithdrawal({ address }: OfAddress) {
  const { commands } = useConfig()
  return (
    <TryIt command={`${commands.withdraw} --amount ${AMOUNT} --to ${address}`}>
      The address has no part in any withdrawal. This one pays to it on L1:
    </TryIt>
  )
}

export function NoToken({ address, children }: OfAddress & { readonly children: ReactNode }) {
  const url = useConfig().l2.publicRpcUrl ?? 'RPC_URL'
  return (
    <TryIt command={`cast send TOKEN "transfer(address,uint256)" ${address} AMOUNT --rpc-url ${url} --private-key KEY`}>{children}</TryIt>
  )
}
