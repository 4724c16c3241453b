import type { TokenName } from '../../data/index-types.ts'
import { shortHex } from '../../format/hex.ts'
import { Link } from '../../shell/link.tsx'
import { UnitAmount } from './unit-amount.tsx'

export function TokenLink({ token }: { readonly token: TokenName }) {
  return (
    <Link href={`/token/${token.address}`} title={`${token.name ?? 'A token without a name'}, ${token.kind}, ${token.address}`}>
      {token.symbol ?? shortHex(token.address)}
    </Link>
  )
}

export function TokenAmount({
  amount,
  tokenId,
  token,
}: {
  readonly amount: string
  readonly tokenId: string | null
  readonly token: TokenName
}) {
  const isOne = tokenId !== null && amount === '1'
  return (
    <span className="number">
      {!isOne && (
        <>
          <UnitAmount amount={amount} decimals={token.decimals} />{' '}
        </>
      )}
      <TokenLink token={token} />
      {tokenId !== null && <span title={tokenId}> #{shortHex(tokenId, 5)}</span>}
    </span>
  )
}
