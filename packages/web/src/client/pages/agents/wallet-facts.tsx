import { useConfig } from '../../data/config.ts'
import type { Listed } from '../../data/index-types.ts'
import type { WalletJson } from '../../data/platform/trade-types.ts'
import { rpc } from '../../data/rpc.ts'
import { useIndex } from '../../data/use-index.ts'
import { useQuery } from '../../data/use-query.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { TokenAmount } from '../../parts/amounts/token-amount.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { AddressLink } from '../../parts/hashes/hash.tsx'
import type { Holding } from '../address/holding.ts'
import { usd } from './usd.ts'

const REFRESH_MS = 5_000
const MAX_TOKENS = 50

/** A trading wallet: what it holds on this chain, and what the operator lets it do. */
export function WalletFacts({ wallet: { wallet_ref, chain_id, address, shared, limits } }: { readonly wallet: WalletJson }) {
  const { l2 } = useConfig()
  return (
    <Facts>
      <Fact name={wallet_ref}>
        <AddressLink address={address} /> on chain {chain_id}
        {shared && ', shared by all users here'}
      </Fact>
      {chain_id === l2.chainId && (
        <Fact name="Holds">
          <Holdings address={address.toLowerCase()} />
        </Fact>
      )}
      <Fact name="Limits">
        {limits.enabled
          ? `${usd(Number(limits.max_trade_usd))} a trade, ${usd(Number(limits.max_daily_usd))} a day`
          : 'stopped by the operator'}
        , slippage at most {limits.max_slippage_bps / 100}%, loss at most {limits.max_loss_bps / 100}%
      </Fact>
    </Facts>
  )
}

/** Tokens are listed where the network has an index. */
function Holdings({ address }: { readonly address: string }) {
  const native = useQuery(`balance ${address}`, () => rpc<string>('eth_getBalance', [address, 'latest']), REFRESH_MS)
  const tokens = useIndex<Listed<Holding>>(`/addresses/${address}/tokens?limit=${MAX_TOKENS}`, REFRESH_MS)
  if (native.data === null) return <span className="muted">{native.error === null ? 'looking' : `not known: ${native.error.message}`}</span>
  return (
    <>
      <NativeAmount wei={native.data} />
      {tokens.data?.items.map(({ token, balance }) => (
        <span key={token.address}>
          , <TokenAmount amount={balance} tokenId={null} token={token} />
        </span>
      ))}
    </>
  )
}
