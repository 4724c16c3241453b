import { toChecksumAddress } from '@keelson/primitives'
import { WALLET } from '../trading/execution/trading-world.test-support.ts'
import { CHAIN } from '../trading/market.test-support.ts'
import { HOLDER } from './assistant-world.test-support.ts'
import type { Conversation, ConversationTurn } from './conversation.test-support.ts'

const SWAP = { token_in: 'ETH', token_out: 'testUSD' } as const
const quoteOf = (user: string, amount: string, sold: object = SWAP): ConversationTurn => ({
  user,
  calls: [{ tool: 'quote_swap', args: { ...sold, amount } }],
  says: ['Selling'],
})
const NOT_UNDERSTOOD = ['I did not understand that', 'one clear question per message']
const nothing = (user: string, says: readonly string[] = NOT_UNDERSTOOD): ConversationTurn => ({ user, calls: [], says })
const HOLDINGS = [
  { tool: 'wallets_list', args: {} },
  { tool: 'wallet_balance', args: { address: toChecksumAddress(WALLET.address), chain: String(CHAIN) } },
]
const PRICE: ConversationTurn = { user: 'price of BTC', calls: [{ tool: 'oracle_price', args: { pair: 'BTC/USD' } }], says: ['BTC'] }
/** Requests to trade that name no token. */
const WITHOUT_TOKEN = [
  ...['sell everything', 'SELL EVERYTHING', 'Sell all', 'sell half', 'sell it', 'sell', 'Sell 5', 'I want to sell'],
  ...['buy', 'BUY', 'buy some', 'buy 100', 'buy $50', 'swap', 'swap all', 'SWAP ALL', 'swap 0.5', 'trade', 'sell everything now please'],
]
export const INTENT_CONVERSATIONS: readonly Conversation[] = [
  ...WITHOUT_TOKEN.flatMap((user) =>
    [[], [PRICE], [nothing('quote ETH to testUSD', ['How much']), PRICE]].map((earlier) => ({
      name: `"${user}" names no token, ${earlier.length} messages before it: what the wallet holds, and a question`,
      turns: [
        ...earlier,
        { user, calls: HOLDINGS, says: ['Wallet main holds', 'NTV', 'Which token do you want to sell, and which to buy?'] },
      ],
    })),
  ),
  {
    name: 'a number in an unrelated message does not revive an old swap',
    turns: [
      quoteOf('quote 0.1 ETH to testUSD', '0.1'),
      nothing('tell me a joke about 5 cats'),
      nothing('my sister is 5'),
      nothing('7'),
      quoteOf('quote 0.2 ETH to testUSD', '0.2'),
      quoteOf('make it 0.3 instead', '0.3'),
    ],
  },
  {
    name: 'a least amount to get is a limit, and something that is not a token is not traded',
    turns: [
      nothing('swap 1 ETH for at least 3000 testUSD', ['no limit orders', 'Nothing was traded']),
      quoteOf('quote 0.1 ETH to testUSD', '0.1'),
      nothing('buy me a coffee'),
    ],
  },
  {
    name: 'its own clarifying question does not hold the conversation',
    turns: [
      nothing('quote ETH to testUSD', ['How much ETH do you want to sell?']),
      nothing('what a lovely day in Paris'),
      { user: 'latest block', calls: [{ tool: 'block_latest', args: {} }], says: ['newest block'] },
      nothing('quote ETH to testUSD', ['How much ETH do you want to sell?']),
      quoteOf('0.1', '0.1'),
    ],
  },
  {
    name: 'several questions in one message: which ones it read, and an answer to none of them',
    turns: [
      nothing('What is the price of ETH and the latest block?', [
        'one question per message',
        '"What is the price of ETH"',
        '"The latest block"',
      ]),
      nothing('price of ETH and BTC', ['one question per message', '"BTC"']),
      nothing('ETH and BTC price', ['one question per message']),
      nothing('show my positions, my pnl and my volume', ['I read 3']),
      nothing('swap 1 ETH to testUSD and 2 testBTC to testUSD', ['one question per message']),
      nothing('quote 1 ETH to testUSD. What is the gas price?', ['one question per message']),
      quoteOf('hello, quote 0.1 ETH, and I get testUSD', '0.1'),
      {
        user: 'what is the exchange rate between ETH and BTC?',
        calls: [{ tool: 'oracle_price', args: { pair: 'ETH/BTC' } }],
        says: ['0.025'],
      },
    ],
  },
  {
    name: 'amounts as people say them',
    turns: [
      nothing('quote 50% of 2 ETH to testUSD', ['"50%" is a share', 'How much ETH']),
      nothing('quote two and a half ETH for testUSD', ['"half" is a share', 'How much ETH']),
      nothing('quote 100 euros of ETH to testUSD', ['"100" is in money that I have no price for', 'How much ETH']),
      nothing('quote €100 of ETH to testUSD', ['How much ETH']),
      nothing('quote one ETH to testUSD', ['"one" is a word', 'How much ETH']),
      nothing('quote half an ETH to testUSD', ['"half" is a share', 'How much ETH']),
      quoteOf('quote 0.002k ETH to testUSD', '2'),
    ],
  },
  {
    name: 'a share of a balance is not computed',
    turns: [
      nothing('quote half of my testUSD to ETH', ['"half" is a share of a balance', 'How much testUSD do you want to sell?']),
      quoteOf('5', '5', { token_in: 'testUSD', token_out: 'ETH' }),
      nothing('and for all of it?', ['"all" is a share of a balance', 'How much testUSD do you want to sell?']),
      nothing('quote all my ETH to testUSD', ['"all" is a share of a balance', 'How much ETH do you want to sell?']),
    ],
  },
  {
    name: 'what a term means',
    turns: [
      nothing('what is slippage?', ['basis points']),
      nothing('What does price impact mean?', ['moves the price']),
      nothing('explain bps', ['0.5 %']),
      { user: 'gas price', calls: [{ tool: 'gas_price', args: {} }], says: ['gwei'] },
    ],
  },
  {
    name: 'figures of another chain are refused, not substituted',
    turns: [
      ...(
        [
          ['tvl of ethereum', 'tvl_get', 'ethereum'],
          ['TVL of base', 'tvl_get', 'base'],
          ['latest ethereum block', 'block_latest', 'ethereum'],
          ['gas price of solana', 'gas_price', 'solana'],
          ['pools on arbitrum', 'pools_list', 'arbitrum'],
          ['tvl of Hyperliquid', 'tvl_get', 'hyperliquid'],
        ] as const
      ).map(([user, tool, chain]) => ({
        user,
        calls: [{ tool, args: tool === 'pools_list' ? { chain, limit: 5 } : { chain } }],
        says: [chain, 'keelson-devnet'],
      })),
      { user: 'price of ethereum', calls: [{ tool: 'oracle_price', args: { pair: 'ETH/USD' } }], says: ['2500'] },
    ],
  },
  {
    name: 'the names of the contracts in devnet.json name tokens',
    turns: [
      { user: 'price of TestBitcoin', calls: [{ tool: 'oracle_price', args: { pair: 'TestBitcoin/USD' } }], says: ['100000'] },
      quoteOf('quote 10 TestDollar to ETH', '10', { token_in: 'TestDollar', token_out: 'ETH' }),
    ],
  },
  {
    name: 'how much somebody has is a balance, not a price',
    turns: [
      { user: `how much ETH does ${HOLDER} have?`, calls: [{ tool: 'wallet_balance', args: { address: HOLDER } }], says: ['2 NTV'] },
      {
        user: 'how many ETH do I have?',
        calls: [
          { tool: 'wallets_list', args: {} },
          { tool: 'wallet_balance', args: { address: toChecksumAddress(WALLET.address), chain: String(CHAIN) } },
        ],
        says: ['NTV'],
      },
    ],
  },
]
