import { AddressLink } from './hashes/hash.tsx'

/** Who receives a transaction, or the contract that it creates. */
export function Recipient({ to, created }: { readonly to: string | null; readonly created: string | null }) {
  if (to !== null) return <AddressLink address={to} />
  if (created === null) return <>new contract</>
  return (
    <>
      new <AddressLink address={created} />
    </>
  )
}
