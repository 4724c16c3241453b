import { toChecksumAddress } from '@keelson/primitives'
import { WALLET } from '../trading/execution/trading-world.test-support.ts'
import { CHAIN } from '../trading/market.test-support.ts'
import { HOLDER } from './assistant-world.test-support.ts'
import type { Conversation, ExpectedCall } from './conversation.test-support.ts'

const MAIN_WALLET = toChecksumAddress(WALLET.address)
const SWAP = { token_in: 'ETH', token_out: 'testUSD', amount: '0.1' } as const
const price = (pair: string): ExpectedCall => ({ tool: 'oracle_price', args: { pair } })

export const LIMITS_OF_THE_ASSISTANT: readonly Conversation[] = [
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
          ['swap 0 ETH for testUSD', '"0" is zero'],
          ['swap 1e18 ETH for testUSD', '"1e18" has an exponent'],
          ['swap 1,5 ETH for testUSD', '"1,5" can be read in two ways'],
          ['swap 2m ETH for testUSD', '"2m" is shortened'],
          ['swap a hundred ETH for testUSD', '"hundred" is a word'],
          ['swap a third of my ETH for testUSD', '"third" is a share'],
          ['swap 150% of my ETH for testUSD', '"150%" is a share'],
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
      { user: 'and for 0.2?', calls: [], says: ['I did not understand'] },
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
        calls: [{ tool: 'portfolio_metrics', args: {} }],
        says: ['no list of single trades', '1250.5'],
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
