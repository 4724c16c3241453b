import type { LoggedTrade } from '../../data/platform/trade-log.ts'
import { TransactionLink } from '../../parts/hashes/hash.tsx'

const WORDS: Readonly<Record<LoggedTrade['state'], readonly [tone: string, words: string]>> = {
  sent: ['is-unsafe', 'sent'],
  pending: ['is-unsafe', 'under way'],
  success: ['is-good', 'done'],
  failed: ['is-bad', 'failed'],
  refused: ['is-bad', 'refused'],
}

export function TradeResultView({ trade }: { readonly trade: LoggedTrade }) {
  const { what, state, message, txHash } = trade
  const [tone, words] = WORDS[state]
  return (
    <section className="trade" role="status">
      <h3>
        Swap of {what} <span className={`badge ${tone}`}>{words}</span>
      </h3>
      {message !== '' && <p>{message}</p>}
      {txHash !== null && (
        <p>
          Transaction <TransactionLink hash={txHash} ends={8} />
        </p>
      )}
    </section>
  )
}
