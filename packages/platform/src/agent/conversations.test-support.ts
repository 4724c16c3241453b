/**
 * Conversations that whoever answers has to pass, with or without a model: what the user says, which tools it takes with
 * which arguments, and what must be in the answer. Over the world of agent-world.test-support.ts.
 */

import { toChecksumAddress } from '@keelson/primitives'
import { WALLET } from '../trading/execution/trading-world.test-support.ts'
import { CHAIN } from '../trading/market.test-support.ts'
import type { AgentWorld } from './agent-world.test-support.ts'
import { DEPOSIT, FEED, HOLDER, LABEL } from './agent-world.test-support.ts'

/** In arguments: the quote_id of the newest quote in this turn. */
export const LAST_QUOTE_ID = '$last_quote_id'

export interface ExpectedCall {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface ConversationTurn {
  readonly user: string
  /** In order; all of them read. */
  readonly calls: readonly ExpectedCall[]
  /** Texts and figures that must be in the answer. */
  readonly says: readonly string[]
}

export interface Conversation {
  readonly name: string
  /** Before the first turn. */
  readonly given?: (world: AgentWorld) => void
  readonly turns: readonly ConversationTurn[]
}

const MAIN_WALLET = toChecksumAddress(WALLET.address)
const SWAP = { token_in: 'ETH', token_out: 'testUSD', amount: '0.1' } as const
const price = (pair: string): ExpectedCall => ({ tool: 'oracle_price', args: { pair } })

export const CONVERSATIONS: readonly Conversation[] = [
  {
    name: 'a price, and the same for another amount and another token',
    turns: [
      {
        user: 'What is the price of ETH?',
        calls: [price('ETH/USD')],
        says: ['2500', 'USD', FEED.native, 'where ETH is called NATIVE', 'block 7', '12 s'],
      },
      { user: 'and for 2?', calls: [price('ETH/USD')], says: ['5000 USD', FEED.native] },
      { user: 'what about BTC?', calls: [price('BTC/USD')], says: ['100000', FEED.bitcoin] },
      { user: 'and in ETH?', calls: [price('BTC/ETH')], says: ['40', FEED.bitcoin, FEED.native] },
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
    name: 'an amount of what is bought is turned to what is sold',
    turns: [
      {
        user: 'Quote buying 0.1 ETH with testUSD',
        calls: [price('ETH/testUSD'), { tool: 'quote_swap', args: { token_in: 'testUSD', token_out: 'ETH', amount: '250' } }],
        says: ['250', '0.0996'],
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
        calls: [{ tool: 'deposit_status', args: { tx_hash: DEPOSIT } }],
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
  {
    name: 'a token for itself, after a swap of it: no answer about the earlier swap',
    turns: [
      { user: 'quote 1 ETH for testUSD', calls: [{ tool: 'quote_swap', args: { ...SWAP, amount: '1' } }], says: ['testUSD'] },
      { user: 'swap 1 ETH for ETH', calls: [], says: ['The token to buy is the one to sell: ETH'] },
      { user: 'quote 1 ETH for ETH', calls: [], says: ['The token to buy is the one to sell: ETH'] },
      { user: 'testUSD', calls: [{ tool: 'quote_swap', args: { ...SWAP, amount: '1' } }], says: ['testUSD'] },
    ],
  },
  {
    name: 'an amount that cannot be read: why, and what was asked before is not taken for it',
    turns: [
      { user: 'quote 0.1 ETH for testUSD', calls: [{ tool: 'quote_swap', args: SWAP }], says: ['249.2'] },
      ...(
        [
          ['swap -1 ETH for testUSD', '"-1" has a sign'],
          ['swap 0 ETH for testUSD', '"0" is nothing'],
          ['swap 1e18 ETH for testUSD', '"1e18" has an exponent'],
          ['swap 1,5 ETH for testUSD', '"1,5" can be read in two ways'],
          ['swap 2k ETH for testUSD', '"2k" is shortened'],
          ['swap 50% of my ETH for testUSD', '"50%" is a share'],
          ['swap one ETH for testUSD', '"one" is a word'],
          ['swap half of my ETH for testUSD', '"half" is a share'],
          ['swap all my ETH for testUSD', '"all" is a share'],
          ['and for all of it?', '"all" is a share'],
          [`swap 0.${'0'.repeat(36)}1 ETH for testUSD`, 'has more digits than any token'],
        ] as const
      ).map(([user, why]) => ({ user, calls: [], says: [why, 'How much ETH do you want to sell?'] })),
    ],
  },
  {
    name: 'another language, after a risk: not the earlier answer',
    turns: [
      {
        user: 'what is the risk of swapping 0.1 ETH to testUSD?',
        calls: [{ tool: 'risk_assess', args: SWAP }],
        says: ['Risk: low'],
      },
      ...[
        'Tausche 1 ETH gegen testUSD',
        'Was ist der Preis von ETH?',
        'Quel est le prix du BTC ?',
        '¿Cuál es el precio de ETH?',
        'quiero vender 1 ETH por testUSD',
        'ETHの価格は?',
        'сколько стоит ETH',
      ].map((user) => ({ user, calls: [], says: ['I read English only', 'price'] })),
      { user: 'and for 0.2?', calls: [{ tool: 'risk_assess', args: { ...SWAP, amount: '0.2' } }], says: ['Risk: low'] },
    ],
  },
  {
    name: 'sending: no quote of a token that is an address or a name',
    turns: [
      { user: 'quote 0.1 ETH to testUSD', calls: [{ tool: 'quote_swap', args: SWAP }], says: ['249.2'] },
      ...[`send 1 ETH to ${HOLDER}`, 'transfer 1 ETH to bob', 'please stake 1 ETH'].map((user) => ({
        user,
        calls: [],
        says: ['I cannot send', 'Nothing was traded'],
      })),
      { user: 'send me a quote for 0.1 ETH to testUSD', calls: [{ tool: 'quote_swap', args: SWAP }], says: ['249.2'] },
    ],
  },
  {
    name: 'a swap that is denied, waits for a price or a condition, or is for another time: no quote and nothing to execute',
    turns: [
      ...(
        [
          ["don't swap 1 ETH for testUSD", 'You say not to'],
          ['do not sell 1 ETH for testUSD', 'You say not to'],
          ['set a limit order: sell 1 ETH at 3000 testUSD', 'no limit orders'],
          ['sell 1 ETH for testUSD at 3000', 'no limit orders'],
          ['swap 1 ETH for testUSD when it is cheap', 'cannot wait for a condition'],
          ['swap 1 ETH for testUSD tomorrow', 'of now only'],
          ['buy 1 ETH with testUSD every week', 'of now only'],
          ['sell 1 ETH for testUSD at 5pm', 'of now only'],
          ['quote 1 ETH for testUSD in 2 hours', 'of now only'],
          ['price of ETH yesterday', 'of now only'],
          ['price of ETH 24h ago', 'of now only'],
        ] as const
      ).map(([user, why]) => ({ user, calls: [], says: [why, 'Nothing was traded'] })),
      { user: 'quote 0.1 ETH to testUSD', calls: [{ tool: 'quote_swap', args: SWAP }], says: ['249.2'] },
      { user: 'and tomorrow?', calls: [], says: ['of now only'] },
      { user: "no, don't do it", calls: [], says: ['You say not to'] },
    ],
  },
  {
    name: 'all tokens, after a question about one',
    turns: [
      { user: 'price of ETH', calls: [price('ETH/USD')], says: ['2500'] },
      { user: 'which tokens are there?', calls: [{ tool: 'tokens_list', args: {} }], says: ['NTV', 'testUSD', 'testBTC'] },
      { user: 'how many decimals has testUSD?', calls: [{ tool: 'token_info', args: { token: 'testUSD' } }], says: ['6'] },
    ],
  },
  {
    name: 'a price in money that no feed has: not in dollars instead',
    turns: ['price of eth in eur', 'what is ETH worth in euros?', 'ETH/EUR', 'price of ETH in €'].map((user) => ({
      user,
      calls: [price('ETH/EUR')],
      says: ['I have no price of ETH in EUR'],
    })),
  },
  {
    name: 'profit and volume of a time, and not of all time instead',
    turns: [
      {
        user: 'what is my pnl this week?',
        calls: [{ tool: 'portfolio_metrics', args: { start: '2026-06-01T00:00:00.000Z' } }],
        says: ['12.25', 'from 2026-06-01T00:00:00.000Z until now', 'Unrealised, of all that is held now'],
      },
      {
        user: 'and last month?',
        calls: [{ tool: 'portfolio_metrics', args: { start: '2026-05-01T00:00:00.000Z', end: '2026-06-01T00:00:00.000Z' } }],
        says: ['until 2026-06-01T00:00:00.000Z'],
      },
      {
        user: 'my volume since monday',
        calls: [{ tool: 'portfolio_metrics', args: {} }],
        says: ['cannot read which time', 'of all time', '1250.5'],
      },
      { user: 'my volume', calls: [{ tool: 'portfolio_metrics', args: {} }], says: ['of all time'] },
    ],
  },
  {
    name: 'the trades of a user',
    turns: [
      {
        user: 'show me my trades',
        calls: [
          { tool: 'portfolio_metrics', args: {} },
          { tool: 'positions', args: { limit: 8 } },
        ],
        says: ['no list of single trades', '1250.5', '0.5 testBTC'],
      },
    ],
  },
  {
    name: "a wallet that all users share, and that the answer does not call the user's own",
    given: (world) => {
      world.isShared = true
    },
    turns: [
      {
        user: 'What do I hold?',
        calls: [
          { tool: 'wallets_list', args: {} },
          { tool: 'wallet_balance', args: { address: MAIN_WALLET, chain: String(CHAIN) } },
        ],
        says: ['2 NTV', 'wallet main, which all users here share'],
      },
      { user: 'my wallets', calls: [{ tool: 'wallets_list', args: {} }], says: ['main: 0x', 'shared by all users here'] },
    ],
  },
  {
    name: 'nothing that is understood',
    turns: [
      { user: 'the quick brown fox jumps over the lazy dog', calls: [], says: ['price', 'swap'] },
      { user: 'hello', calls: [], says: ['price', 'swap', 'keelson-devnet'] },
    ],
  },
]
