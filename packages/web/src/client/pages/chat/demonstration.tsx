import { Fact, Facts } from '../../parts/facts.tsx'
import { MessageView } from './message-view.tsx'
import type { ChatMessage } from './use-chat.ts'

const MESSAGES: readonly ChatMessage[] = [
  { role: 'user', content: 'What is the price of ETH?' },
  { role: 'assistant', content: 'ETH is at **3,000.00 USD**, from the price feed of this chain, updated 12 s ago.' },
  { role: 'user', content: 'Swap 0.1 ETH for testUSD' },
  { role: 'assistant', content: 'I asked for a quote. Nothing is traded until you confirm it.' },
]

/** What a conversation looks like, for visitors without an account. */
export function Demonstration() {
  return (
    <section className="card" aria-label="Example of a conversation">
      <h2>
        A conversation <span className="badge">example</span>
      </h2>
      <ol className="messages">
        {MESSAGES.map((message) => (
          <MessageView key={message.content} message={message} isOpen={false} />
        ))}
      </ol>
      <section className="trade" aria-label="Example of a quote">
        <h3>
          Swap 0.1 ETH for testUSD? <span className="badge">example</span>
        </h3>
        <Facts>
          <Fact name="You get about">
            <strong>298.9 testUSD</strong>, at least 297.4
          </Fact>
          <Fact name="Through">uniswap-v2, price impact 0.07%, slippage at most 0.5%</Fact>
          <Fact name="Wallet">shared, within the limits of the operator</Fact>
        </Facts>
        <div className="trade-actions">
          <span className="muted">In a conversation, two buttons here confirm or cancel the swap.</span>
        </div>
      </section>
    </section>
  )
}
