import type { Listed, TokenTransfer } from '../../data/index-types.ts'
import { useIndex } from '../../data/use-index.ts'
import { TokenAmount } from '../../parts/amounts/token-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { AddressLink } from '../../parts/hashes/hash.tsx'

/** Tokens that the transaction moved; nothing if there are none. */
export function TransfersCard({ hash }: { readonly hash: string }) {
  const { data } = useIndex<Listed<TokenTransfer>>(`/transactions/${hash}/token-transfers?limit=50`)
  if (data === null || data.items.length === 0) return null
  return (
    <Card title="Tokens moved">
      <ol className="moves">
        {data.items.map(({ logPosition, from, to, amount, tokenId, token }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one log may move several tokens, in a fixed order
          <li key={`${logPosition} ${i}`}>
            <AddressLink address={from} /> → <AddressLink address={to} />
            <TokenAmount amount={amount} tokenId={tokenId} token={token} />
          </li>
        ))}
      </ol>
    </Card>
  )
}
