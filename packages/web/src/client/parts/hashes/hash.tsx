import { contractName, useConfig } from '../../data/config.ts'
import { shortHex } from '../../format/hex.ts'
import { Link } from '../../shell/link.tsx'

export function TransactionLink({ hash, ends = 4 }: { readonly hash: string; readonly ends?: number }) {
  return (
    <Link className="hex" href={`/tx/${hash}`} title={hash}>
      {shortHex(hash, ends)}
    </Link>
  )
}

export function BlockLink({ number }: { readonly number: number }) {
  return (
    <Link className="number" href={`/block/${number}`}>
      {number}
    </Link>
  )
}

/** Shows the name of a contract of this network instead of its address. */
export function AddressLink({ address, full = false }: { readonly address: string; readonly full?: boolean }) {
  const name = contractName(useConfig(), address)
  return (
    <Link className={name === null || full ? 'hex' : 'contract-name'} href={`/address/${address}`} title={address}>
      {full ? address : (name ?? shortHex(address))}
    </Link>
  )
}
