import { toChecksumAddress } from '@keelson/primitives'
import { DEPOSIT, FEED, HOLDER, LABEL } from './assistant-world.test-support.ts'
import { type Conversation, type ExpectedCall, LAST_QUOTE_ID } from './conversation.test-support.ts'
import { EVERYDAY_CONVERSATIONS } from './everyday-conversations.test-support.ts'
import { INTENT_CONVERSATIONS } from './intent-conversations.test-support.ts'
import { LIMITS_OF_THE_ASSISTANT } from './limits-conversations.test-support.ts'

const SHOWN = { native: toChecksumAddress(FEED.native), bitcoin: toChecksumAddress(FEED.bitcoin) }

const SWAP = { token_in: 'ETH', token_out: 'testUSD', amount: '0.1' } as const
const price = (pair: string): ExpectedCall => ({ tool: 'oracle_price', args: { pair } })

export const CONVERSATIONS: readonly Conversation[] = [
  ...EVERYDAY_CONVERSATIONS,
  {
    name: 'a price, and the same for another amount and another token',
    turns: [
      {
        user: 'What is the price of ETH?',
        calls: [price('ETH/USD')],
        says: ['2500', 'USD', SHOWN.native, 'where ETH is called NATIVE', 'block 7', '12 s'],
      },
      { user: 'and for 2?', calls: [price('ETH/USD')], says: ['5000 USD', SHOWN.native] },
      { user: 'what about BTC?', calls: [price('BTC/USD')], says: ['100000', SHOWN.bitcoin] },
      { user: 'and in ETH?', calls: [price('BTC/ETH')], says: ['40', SHOWN.bitcoin, SHOWN.native] },
    ],
  },
  {
    name: 'a pair that no feed has',
    turns: [{ user: 'price of DOGE', calls: [price('DOGE/USD')], says: ['DOGE', 'feed of keelson-devnet'] }],
  },
  {
    name: 'a source that is away',
    given: (world) => {
      world.away = true
    },
    turns: [
      { user: 'price of ETH', calls: [price('ETH/USD')], says: ['away', LABEL, 'no connection'] },
      { user: 'latest block', calls: [{ tool: 'block_latest', args: {} }], says: [LABEL, 'no connection'] },
    ],
  },
  {
    name: 'a swap whose parts come one after the other',
    turns: [
      { user: 'I want to sell ETH', calls: [], says: ['Which token'] },
      { user: 'testUSD', calls: [], says: ['How much'] },
      {
        user: '0.1',
        calls: [
          { tool: 'quote_swap', args: SWAP },
          { tool: 'risk_assess', args: { ...SWAP, quote_id: LAST_QUOTE_ID } },
          { tool: 'wallets_list', args: {} },
          { tool: 'swap_simulate', args: { ...SWAP, wallet_ref: 'main', quote_id: LAST_QUOTE_ID } },
        ],
        says: [
          '249.2',
          'testUSD',
          'Risk: low',
          'simulated, nothing was sent',
          '/api/v1/multi-agent/execute/evm',
          '"confirm":true',
          'quote_id',
          'leave quote_id out',
          'Nothing was traded',
        ],
      },
    ],
  },
  {
    name: 'a quote, another amount of it, and its risk',
    turns: [
      {
        user: 'How much testUSD would I get for 0.1 ETH?',
        calls: [{ tool: 'quote_swap', args: SWAP }],
        says: ['249.2', 'testUSD', 'Quote q_'],
      },
      { user: 'and for 0.2?', calls: [{ tool: 'quote_swap', args: { ...SWAP, amount: '0.2' } }], says: ['498.4', 'testUSD'] },
      {
        user: 'what about the risk?',
        calls: [{ tool: 'risk_assess', args: { ...SWAP, amount: '0.2' } }],
        says: ['Risk: low', 'price_sanity', 'whale_flow'],
      },
      { user: 'what is the latest block?', calls: [{ tool: 'block_latest', args: {} }], says: ['7'] },
      { user: 'how risky is the swap again?', calls: [{ tool: 'risk_assess', args: { ...SWAP, amount: '0.2' } }], says: ['Risk: low'] },
    ],
  },
  {
    name: 'an amount of what is bought is not taken for the amount that is sold',
    turns: [
      { user: 'Quote buying 0.1 ETH with testUSD', calls: [], says: ['not for 0.1 ETH', 'How much testUSD do you want to sell?'] },
      {
        user: '250',
        calls: [{ tool: 'quote_swap', args: { token_in: 'testUSD', token_out: 'ETH', amount: '250' } }],
        says: ['Selling 250 testUSD', '0.0996'],
      },
    ],
  },
  {
    name: 'a token that was bought is sold instead',
    turns: [
      { user: 'quote 0.1 ETH to testUSD', calls: [{ tool: 'quote_swap', args: SWAP }], says: ['249.2'] },
      { user: 'and sell testUSD instead', calls: [], says: ['Which token', 'buy with testUSD'] },
    ],
  },
  {
    name: 'no route: the oracle says what it would bring, and that it cannot be done',
    given: ({ trading }) => {
      trading.market.hasPools = false
    },
    turns: [
      {
        user: 'quote 0.1 ETH to testUSD',
        calls: [
          { tool: 'quote_swap', args: SWAP },
          { tool: 'quote_reference', args: SWAP },
        ],
        says: ['No executable quote', '249.25', 'for reference only'],
      },
    ],
  },
  {
    name: 'a token that is not configured',
    turns: [
      {
        user: 'swap 5 USDC to ETH',
        calls: [
          { tool: 'quote_swap', args: { token_in: 'USDC', token_out: 'ETH', amount: '5' } },
          { tool: 'quote_reference', args: { token_in: 'USDC', token_out: 'ETH', amount: '5' } },
        ],
        says: ['USDC', 'testUSD'],
      },
    ],
  },
  {
    name: 'a chain that is not configured is not answered from another',
    turns: [
      {
        user: 'latest block on base',
        calls: [{ tool: 'block_latest', args: { chain: 'base' } }],
        says: ['base', 'configured', 'keelson-devnet'],
      },
    ],
  },
  {
    name: 'the policy of the wallet refuses in a simulation, and the answer says so',
    turns: [
      {
        user: 'Please swap 1 ETH for testUSD',
        calls: [
          { tool: 'quote_swap', args: { ...SWAP, amount: '1' } },
          { tool: 'risk_assess', args: { ...SWAP, amount: '1', quote_id: LAST_QUOTE_ID } },
          { tool: 'wallets_list', args: {} },
          { tool: 'swap_simulate', args: { ...SWAP, amount: '1', wallet_ref: 'main', quote_id: LAST_QUOTE_ID } },
        ],
        says: ['does not pass', '(policy)', 'Nothing was traded'],
      },
    ],
  },
  {
    name: 'the risk of a token by itself',
    turns: [
      { user: 'is testBTC safe?', calls: [{ tool: 'token_risk', args: { token: 'testBTC' } }], says: ['Risk', 'testBTC', 'rug', '10'] },
    ],
  },
  {
    name: 'blocks and gas',
    turns: [
      { user: 'show me block 5', calls: [{ tool: 'block_by_number', args: { number: 5 } }], says: ['Block 5', '21000', '3 transactions'] },
      { user: 'and block 99', calls: [{ tool: 'block_by_number', args: { number: 99 } }], says: ['no block 99'] },
      { user: 'gas price?', calls: [{ tool: 'gas_price', args: {} }], says: ['0.0015 gwei', '1000 wei', 'block 7'] },
    ],
  },
  {
    name: 'balances',
    turns: [
      {
        user: `balance of ${HOLDER}`,
        calls: [{ tool: 'wallet_balance', args: { address: HOLDER } }],
        says: ['2 NTV', '5000 USD', '10 testUSD', '0.1 testBTC', '10000 USD', 'block 7'],
      },
    ],
  },
  {
    name: 'where a deposit is',
    turns: [
      { user: 'where is my deposit?', calls: [], says: ['hash'] },
      {
        user: DEPOSIT,
        calls: [
          { tool: 'transaction_status', args: { tx_hash: DEPOSIT } },
          { tool: 'deposit_status', args: { tx_hash: DEPOSIT } },
        ],
        says: ['relaying', '41', '3 confirmations', 'bridge (127.0.0.1)'],
      },
    ],
  },
  {
    name: 'the portfolio',
    turns: [
      { user: 'show my positions', calls: [{ tool: 'positions', args: { limit: 8 } }], says: ['0.5 testBTC', '90000', '50000', '5000'] },
      { user: 'and my pnl?', calls: [{ tool: 'portfolio_metrics', args: {} }], says: ['12.25', '-3.5', 'scout'] },
      { user: 'trading volume', calls: [{ tool: 'portfolio_metrics', args: {} }], says: ['1250.5'] },
    ],
  },
  {
    name: 'what is not set up',
    turns: [
      { user: 'latest bitcoin block', calls: [{ tool: 'bitcoin_latest_block', args: {} }], says: ['not set up', 'Esplora'] },
      {
        user: 'research ETH',
        calls: [
          {
            tool: 'research_run',
            args: { tvl_chain: 'keelson-devnet', pools_chain: 'keelson-devnet', price_symbol: 'ETH', pools_limit: 3 },
          },
        ],
        says: ['not set up'],
      },
    ],
  },
  {
    name: 'value locked, and a bitcoin address',
    turns: [
      { user: 'tvl of the devnet', calls: [{ tool: 'tvl_get', args: { chain: 'keelson-devnet' } }], says: ['0 USD', LABEL] },
      {
        user: 'is bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq fine?',
        calls: [{ tool: 'bitcoin_validate_address', args: { address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' } }],
        says: ['valid', 'p2wpkh', 'mainnet'],
      },
    ],
  },
  ...INTENT_CONVERSATIONS,
  ...LIMITS_OF_THE_ASSISTANT,
]
