import { useConfig } from '../../data/config.ts'
import type { TokenDetails } from '../../data/index-types.ts'
import { useIndex } from '../../data/use-index.ts'
import { TokenLink } from '../../parts/amounts/token-amount.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { AddressLink } from '../../parts/hashes/hash.tsx'
import type { Order } from './order.ts'

/** How the platform names the native coin. */
const NATIVE = `0x${'e'.repeat(40)}`

/** A swap of an answer. It cannot be confirmed here: only the reader's own words lead to a card with buttons. */
export function OrderCard({ order, request }: { readonly order: Order; readonly request: string }) {
  const { chainId, tokenIn, tokenOut, amount, isUsd, slippageBps, walletRef } = order
  return (
    <section className="trade is-order" aria-label="A swap of the answer">
      <h3>
        Swap <span className="badge">not executed by this</span>
      </h3>
      <Facts>
        <Fact name="Sell">
          <span className="number">{amount}</span> {isUsd && 'USD of '}
          <TokenName address={tokenIn} chainId={chainId} />
        </Fact>
        <Fact name="Buy">
          <TokenName address={tokenOut} chainId={chainId} />
          {slippageBps !== null && `, slippage at most ${slippageBps / 100}%`}
        </Fact>
        {walletRef !== null && <Fact name="Wallet">{walletRef}</Fact>}
      </Facts>
      <details>
        <summary>The request for programs</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it */}
        <pre className="code-block" tabIndex={0}>
          {request}
        </pre>
      </details>
    </section>
  )
}

/** Tokens of other chains have no page here. */
function TokenName({ address, chainId }: { readonly address: string; readonly chainId: number }) {
  const { l2 } = useConfig()
  const isHere = chainId === l2.chainId
  const isNative = address.toLowerCase() === NATIVE
  const { data } = useIndex<TokenDetails>(isHere && !isNative ? `/tokens/${address.toLowerCase()}` : null)
  if (!isHere) return <span className="hex">{isNative ? `the native coin of chain ${chainId}` : `${address} on chain ${chainId}`}</span>
  if (isNative) return <>{l2.currency}</>
  return data === null ? <AddressLink address={address.toLowerCase()} /> : <TokenLink token={data} />
}
