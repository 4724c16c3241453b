import { DEPOSIT, MINED, REVERTED, WAITING } from './assistant-world.test-support.ts'
import type { Conversation, ConversationTurn, ExpectedCall } from './conversation.test-support.ts'

const UNKNOWN = `0x${'ef'.repeat(32)}`
const answer = (user: string, says: readonly string[], calls: readonly ExpectedCall[] = []): ConversationTurn => ({ user, calls, says })
const transaction = (tx_hash: string): ExpectedCall => ({ tool: 'transaction_status', args: { tx_hash } })
const deposit = (tx_hash: string): ExpectedCall => ({ tool: 'deposit_status', args: { tx_hash } })
const price = (pair: string): ExpectedCall => ({ tool: 'oracle_price', args: { pair } })
const metrics = (args: Readonly<Record<string, string>>): ExpectedCall => ({ tool: 'portfolio_metrics', args })
const pools: ExpectedCall = { tool: 'pools_list', args: { limit: 5 } }
const BRIDGE = ['keelson bridge deposit', 'depositETH', 'keelson bridge withdraw']

/** The clock of the world is 2026-06-01T00:00:00Z. */
export const EVERYDAY_CONVERSATIONS: readonly Conversation[] = [
  {
    name: 'what was traded in a period is the volume of the records, not a trade at another time',
    turns: [
      answer('how much did I trade in the last 24 hours?', ['1250.5 USD'], [metrics({ start: '2026-05-31T00:00:00.000Z' })]),
      answer('how much have I traded since 2026-05-01', ['1250.5 USD'], [metrics({ start: '2026-05-01T00:00:00.000Z' })]),
      answer('what did I swap last month?', ['1250.5'], [metrics({ start: '2026-05-01T00:00:00.000Z', end: '2026-06-01T00:00:00.000Z' })]),
      answer('how much did I spend?', ['of all time', '1250.5'], [metrics({})]),
      answer('did I buy BTC this year?', ['no list of single trades'], [metrics({ start: '2026-01-01T00:00:00.000Z' })]),
    ],
  },
  {
    name: 'a hash is looked up on the rollup first, and then as a deposit from L1',
    turns: [
      answer(`did my transaction ${MINED} go through?`, ['success', 'block 5', '3 confirmations'], [transaction(MINED)]),
      answer(REVERTED, ['failed', 'reverted'], [transaction(REVERTED)]),
      answer(`is ${WAITING} confirmed yet?`, ['pending', 'waits for a block'], [transaction(WAITING)]),
      answer(`what happened to ${DEPOSIT}`, ['relaying', 'bridge'], [transaction(DEPOSIT), deposit(DEPOSIT)]),
      answer(
        `status of tx ${UNKNOWN}`,
        ['devnet knows no transaction', 'bridge knows no transaction'],
        [transaction(UNKNOWN), deposit(UNKNOWN)],
      ),
      answer(`tx ${MINED} on devnet`, ['success'], [{ tool: 'transaction_status', args: { tx_hash: MINED, chain: 'keelson-devnet' } }]),
      answer(`status of my deposit ${DEPOSIT}`, ['relaying'], [deposit(DEPOSIT)]),
      answer('did my transaction go through?', ['Which transaction?']),
      answer('where is my deposit?', ['Which deposit?']),
    ],
  },
  {
    name: 'a yes confirms nothing where no swap was asked for',
    turns: [
      answer('yes, do it', ['nothing to confirm', 'Nothing was traded']),
      answer('price of ETH', ['2500'], [price('ETH/USD')]),
      answer('go ahead', ['nothing to confirm']),
    ],
  },
  {
    name: 'how to bridge is explained, and no hash is asked for',
    turns: [
      'how do I bridge from L1?',
      'how can I deposit ETH from L1?',
      'can I bridge ETH to L2?',
      'how do I withdraw to L1',
      'bridge 1 ETH from ethereum',
      'I want to bridge',
    ].map((user) => answer(user, BRIDGE)),
  },
  {
    name: 'where test tokens are',
    turns: ['faucet?', 'where is the faucet', 'how do I get test ETH?', 'can I get some testnet ETH', 'free tokens please'].map((user) =>
      answer(user, ['POST /api/claim', 'every 24 hours']),
    ),
  },
  {
    name: 'two tokens are compared by their prices',
    turns: [
      answer(
        'compare ETH and BTC',
        ['1 ETH = 2500 USD', '1 BTC = 100000 USD', '1 ETH = 0.025 BTC'],
        [price('ETH/USD'), price('BTC/USD'), price('ETH/BTC')],
      ),
      answer('which is better, ETH or BTC?', ['1 ETH = 0.025 BTC'], [price('ETH/USD'), price('BTC/USD'), price('ETH/BTC')]),
    ],
  },
  {
    name: 'an APY is of pools, and is no token',
    turns: [
      answer('best APY', ['have no APY figure'], [pools]),
      answer('what yield do the pools pay?', ['have no APY figure'], [pools]),
      answer('what does APY mean?', ['in a year']),
    ],
  },
  {
    name: 'an exchange is no chain',
    turns: [
      answer('pools on Uniswap', ['Pools of keelson-devnet'], [pools]),
      answer('tvl of Aave', ['aave'], [{ tool: 'tvl_get', args: { protocol: 'aave' } }]),
      answer('swap 0.1 ETH to testUSD on sushiswap', ['not understand']),
    ],
  },
]
