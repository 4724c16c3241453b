import { useCallback, useEffect, useState } from 'react'
import { nowMs } from '../../data/browser-clock.ts'
import { wordsOf } from '../../data/platform/ask.ts'
import { logTrade, useTradeLog } from '../../data/platform/trade-log.ts'
import { type Offer, REFERENCE_VENUE, type Wish } from '../../data/platform/trade-types.ts'
import { useNow } from '../../data/use-now.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { AddressLink } from '../../parts/hashes/hash.tsx'
import { RiskView } from './risk-view.tsx'
import { TradeResultView } from './trade-result.tsx'
import { execute, fetchOffer } from './trades.ts'

export interface TradeCardProps {
  /** Idempotency-Key of the order. */
  readonly id: string
  readonly wish: Wish
  readonly conversationId: string
  readonly token: string
}

/** A swap that happens only if the reader confirms it before its quote expires. */
export function TradeCard({ id, wish, conversationId, token }: TradeCardProps) {
  const [offer, setOffer] = useState<Offer | null>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  const [isCancelled, setIsCancelled] = useState(false)
  const trade = useTradeLog().find(({ key }) => key === id)
  const now = useNow()
  const what = `${wish.input.amount_in} ${wish.symbolIn} for ${wish.symbolOut}`
  const quoteAgain = useCallback(() => {
    setOffer(null)
    setTrouble(null)
    fetchOffer(token, wish).then(setOffer, (error: unknown) => setTrouble(wordsOf(error)))
  }, [token, wish])
  useEffect(quoteAgain, [quoteAgain])
  const confirm = (confirmed: Offer) => {
    logTrade({ key: id, conversationId, what, atMs: nowMs(), executionId: null, state: 'sent', message: '', txHash: null })
    void execute(token, id, wish, confirmed)
  }
  if (trade !== undefined) return <TradeResultView trade={trade} />
  if (isCancelled) return <p className="trade-over muted">You did not confirm the swap of {what}. Nothing was traded.</p>
  const leftSec = offer === null ? 0 : Math.max(0, Math.ceil((Date.parse(offer.quote.expires_at) - now) / 1_000))
  const obstacle = offer === null ? null : obstacleOf(offer)
  return (
    <section className="trade" aria-label={`Swap of ${what}`}>
      <h3>
        Swap {what}? <span className="badge">on {wish.chainName}</span>
      </h3>
      {offer === null && trouble === null && <p className="loading">Asking for a quote and its risk.</p>}
      {offer !== null && <OfferView offer={offer} symbolOut={wish.symbolOut} />}
      {obstacle !== null && <p className="bad-text">{obstacle}</p>}
      <p role="alert" className={trouble === null ? undefined : 'notice-line'}>
        {trouble}
      </p>
      <div className="trade-actions">
        {offer !== null && leftSec > 0 && obstacle === null && (
          <button type="button" className="button" onClick={() => confirm(offer)}>
            Confirm the swap
          </button>
        )}
        {(trouble !== null || (offer !== null && (leftSec === 0 || obstacle !== null))) && (
          <button type="button" className="button" onClick={quoteAgain}>
            Get a new quote
          </button>
        )}
        <button type="button" className="button is-plain" onClick={() => setIsCancelled(true)}>
          Cancel
        </button>
        {offer !== null && (
          <span className={leftSec > 0 ? 'muted number' : 'bad-text'}>
            {leftSec > 0 ? `valid for ${leftSec} s` : 'the quote has expired'}
          </span>
        )}
      </div>
    </section>
  )
}

function OfferView({ offer, symbolOut }: { readonly offer: Offer; readonly symbolOut: string }) {
  const { quote, risk, wallet, summary } = offer
  const least = Number(quote.expected_out) * (1 - quote.slippage_bps / 10_000)
  const warning = /Warning: .*/.exec(summary)?.[0]
  return (
    <>
      <Facts>
        <Fact name="You get about">
          <strong>
            {quote.expected_out} {symbolOut}
          </strong>
          , at least {Number(least.toPrecision(8))}
        </Fact>
        <Fact name="Through">
          {quote.venue}, price impact {percent(quote.price_impact_bps)}, slippage at most {percent(quote.slippage_bps)}
        </Fact>
        <Fact name="Fees">{feesOf(quote.fees)}</Fact>
        {wallet !== null && (
          <Fact name="Wallet">
            {wallet.wallet_ref}
            {wallet.shared && ', shared by all users here'} (<AddressLink address={wallet.address} />)
          </Fact>
        )}
      </Facts>
      <RiskView risk={risk} />
      {warning !== undefined && <p className="bad-text">{warning}</p>}
    </>
  )
}

function obstacleOf({ quote, risk, wallet }: Offer): string | null {
  if (quote.venue === REFERENCE_VENUE) return 'This is a price of the oracle: there is no route to trade it through.'
  if (wallet === null) return 'No wallet of yours may trade on this chain; the operator sets wallets up.'
  return risk.level === 'high' ? 'The risk is high, so the platform does not execute it.' : null
}

function feesOf(fees: Offer['quote']['fees']): string {
  const shown = Object.entries(fees).flatMap(([name, value]) => (value === null ? [] : [feeOf(name, value)]))
  return shown.length === 0 ? 'none named' : shown.join(', ')
}

function feeOf(name: string, value: string | number): string {
  const words = name.replace(/_(bps|usd)$/, '').replaceAll('_', ' ')
  if (name.endsWith('_bps')) return `${words} ${percent(Number(value))}`
  return `${words} ${value}${name.endsWith('_usd') ? ' USD' : ''}`
}

function percent(bps: number): string {
  return `${bps / 100}%`
}
