import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expectLittleCpu } from '../../../../test/support/cpu-time.ts'
import { devnetNames, TOKEN_ADDRESS } from '../assistant/names.test-support.ts'
import type { ChainNames } from '../tools/token-names.ts'
import { readIntent } from './intent.ts'

const NAMES = devnetNames()

function previewIntent(text: string, names: readonly ChainNames[]) {
  const { intent, team, tokenIn, tokenOut, chain, amount } = readIntent(text, names)
  const found: Readonly<Record<string, string | null>> = { token_in: tokenIn, token_out: tokenOut, amount: amount?.value ?? null, chain }
  const entities: Record<string, string> = {}
  for (const [key, value] of Object.entries(found)) if (value !== null) entities[key] = value
  return { intent, team, entities }
}

type Row = readonly [text: string, intent: string, entities: Readonly<Record<string, string>>]

const SENTENCES: readonly Row[] = [
  ['Swap 1 ETH for testUSD', 'swap_tokens', { token_in: 'ETH', token_out: 'testUSD', amount: '1' }],
  ['swap 1.5 weth to testusd on devnet', 'swap_tokens', { token_in: 'WETH', token_out: 'testUSD', amount: '1.5', chain: 'keelson-devnet' }],
  ['Please swap 1,000 testUSD into WETH.', 'swap_tokens', { token_in: 'testUSD', token_out: 'WETH', amount: '1000' }],
  ['exchange .5 testBTC for ETH', 'swap_tokens', { token_in: 'testBTC', token_out: 'ETH', amount: '0.5' }],
  ['Convert 250 testUSD -> testBTC', 'swap_tokens', { token_in: 'testUSD', token_out: 'testBTC', amount: '250' }],
  ['SWAP 1 ETH TO TESTUSD', 'swap_tokens', { token_in: 'ETH', token_out: 'testUSD', amount: '1' }],
  ['swap 2 of my WETH to testUSD with 1% slippage', 'swap_tokens', { token_in: 'WETH', token_out: 'testUSD', amount: '2' }],
  ['I want to swap some testUSD to ETH', 'swap_tokens', { token_in: 'testUSD', token_out: 'ETH' }],
  ['swap half a WETH to testUSD', 'swap_tokens', { token_in: 'WETH', token_out: 'testUSD' }],
  ['swap one WETH to testUSD', 'swap_tokens', { token_in: 'WETH', token_out: 'testUSD' }],
  ['swap half of my WETH to testUSD', 'swap_tokens', { token_in: 'WETH', token_out: 'testUSD' }],
  ['swap 1k testUSD to ETH', 'swap_tokens', { token_in: 'testUSD', token_out: 'ETH', amount: '1000' }],
  ['swap 2.5k TestDollar to ETH', 'swap_tokens', { token_in: 'TestDollar', token_out: 'ETH', amount: '2500' }],
  ['swap 1,5 testUSD to ETH', 'swap_tokens', { token_in: 'testUSD', token_out: 'ETH' }],
  ['swap -5 testUSD to ETH', 'swap_tokens', { token_in: 'testUSD', token_out: 'ETH' }],
  ['swap 1.5ETH to testUSD', 'research', { token_out: 'testUSD' }],
  ['swap $100 of ETH to testUSD', 'swap_tokens', { token_in: 'ETH', token_out: 'testUSD', amount: '100' }],
  ['swap 100 USD worth of WETH for testBTC', 'swap_tokens', { token_in: 'WETH', token_out: 'testBTC', amount: '100' }],
  ['swap from testBTC to testUSD', 'swap_tokens', { token_in: 'testBTC', token_out: 'testUSD' }],
  [`swap 3 ${TOKEN_ADDRESS} to WETH`, 'swap_tokens', { token_in: TOKEN_ADDRESS, token_out: 'WETH', amount: '3' }],
  ['Swap 10 USDC to ETH on chain 901', 'swap_tokens', { token_in: 'USDC', token_out: 'ETH', amount: '10', chain: 'keelson-devnet' }],
  ['swap 5 doge to ETH', 'research', { token_out: 'ETH' }],
  ['buy 100 testUSD worth of WETH', 'trade', { token_in: 'testUSD', token_out: 'WETH', amount: '100' }],
  ['sell 100 testUSD worth of WETH', 'trade', { token_in: 'WETH', token_out: 'testUSD', amount: '100' }],
  ['swap 1 ETH to testUSD or testBTC', 'research', { token_in: 'ETH', token_out: 'testUSD' }],
  ['swap 5 DOGE to ETH', 'swap_tokens', { token_in: 'DOGE', token_out: 'ETH', amount: '5' }],
  ['swap 1 ETH for testUSD provided that it rains', 'research', { token_in: 'ETH', token_out: 'testUSD' }],
  ['swap 1 ETH to testUSD on base', 'swap_tokens', { token_in: 'ETH', token_out: 'testUSD', amount: '1', chain: 'base' }],
  ['swap 1 ETH to testUSD on chain 8453', 'swap_tokens', { token_in: 'ETH', token_out: 'testUSD', amount: '1', chain: '8453' }],
  ['Swap 1 ETH for testUSD on Uniswap', 'swap_tokens', { token_in: 'ETH', token_out: 'testUSD', amount: '1' }],
  ['research pools on Uniswap', 'research', {}],
  ['tvl of Aave', 'research', {}],
  ['swap 1 ETH', 'trade', { token_in: 'ETH', amount: '1' }],
  ['buy testBTC', 'trade', { token_out: 'testBTC' }],
  ['Buy 2 WETH with testUSD', 'trade', { token_in: 'testUSD', token_out: 'WETH', amount: '2' }],
  ['buy WETH with 100 testUSD', 'trade', { token_in: 'testUSD', token_out: 'WETH', amount: '100' }],
  ['sell 3 WETH', 'trade', { token_in: 'WETH', amount: '3' }],
  ['Sell all my testBTC for testUSD', 'trade', { token_in: 'testBTC', token_out: 'testUSD' }],
  ['I would like to trade 5 ETH to testBTC', 'trade', { token_in: 'ETH', token_out: 'testBTC', amount: '5' }],
  ['simulate selling 1 WETH for testUSD', 'trade', { token_in: 'WETH', token_out: 'testUSD', amount: '1' }],
  ['execute it', 'trade', {}],
  ['go ahead and confirm', 'trade', {}],
  ['quote 1 ETH to testUSD', 'quote', { token_in: 'ETH', token_out: 'testUSD', amount: '1' }],
  ['Give me a quote for 2.25 WETH in testBTC', 'quote', { token_in: 'WETH', token_out: 'testBTC', amount: '2.25' }],
  ['How much testUSD would I get for 1 WETH?', 'quote', { token_in: 'WETH', token_out: 'testUSD', amount: '1' }],
  ['what do I get for 3 WETH in testUSD?', 'quote', { token_in: 'WETH', token_out: 'testUSD', amount: '3' }],
  ['how many testBTC can I buy with 500 testUSD', 'quote', { token_in: 'testUSD', token_out: 'testBTC', amount: '500' }],
  ['quote a swap of 1 ETH to testUSD', 'quote', { token_in: 'ETH', token_out: 'testUSD', amount: '1' }],
  ['price of WETH in TESTUSD', 'quote', { token_in: 'WETH', token_out: 'testUSD' }],
  ['what is WETH/testUSD at?', 'quote', { token_in: 'WETH', token_out: 'testUSD' }],
  ['how much is 2 testBTC in WETH?', 'quote', { token_in: 'testBTC', token_out: 'WETH', amount: '2' }],
  ['exchange rate of WETH to testBTC', 'quote', { token_in: 'WETH', token_out: 'testBTC' }],
  ['Is it safe to swap 1 ETH for testUSD?', 'risk_assessment', { token_in: 'ETH', token_out: 'testUSD', amount: '1' }],
  ['what is the risk of swapping 10 WETH to testUSD', 'risk_assessment', { token_in: 'WETH', token_out: 'testUSD', amount: '10' }],
  ['assess testBTC', 'risk_assessment', { token_in: 'testBTC' }],
  ['is testBTC a scam?', 'risk_assessment', { token_in: 'testBTC' }],
  [`is ${TOKEN_ADDRESS} a rug`, 'risk_assessment', { token_in: TOKEN_ADDRESS }],
  ['how risky is this trade', 'risk_assessment', {}],
  ['price of ETH', 'research', { token_in: 'ETH' }],
  ["What's the price of ethereum?", 'research', { token_in: 'ETH' }],
  ['ETH/USD', 'research', { token_in: 'ETH', token_out: 'USD' }],
  ['what is bitcoin worth in USD?', 'research', { token_in: 'BTC', token_out: 'USD' }],
  ['how much is WETH', 'research', { token_in: 'WETH' }],
  ['price of DOGE', 'research', { token_in: 'DOGE' }],
  ['Research the best pools on the devnet', 'research', { chain: 'keelson-devnet' }],
  ['research swap volume of WETH', 'research', { token_in: 'WETH' }],
  ['latest block', 'research', {}],
  ['latest ethereum block', 'research', { chain: 'ethereum' }],
  ['latest eth block', 'research', { chain: 'ethereum' }],
  ['tvl of ethereum', 'research', { chain: 'ethereum' }],
  ['TVL of base', 'research', { chain: 'base' }],
  ['research the TVL of Base', 'research', { chain: 'base' }],
  ['pools of Hyperliquid', 'research', { chain: 'hyperliquid' }],
  ['what is the price of ETH on the devnet', 'research', { token_in: 'ETH', chain: 'keelson-devnet' }],
  ['what is slippage?', 'research', {}],
  ['latest block on l1', 'research', { chain: 'keelson-devnet-l1' }],
  ['show me block 12345', 'research', {}],
  ['block #42 of keelson-devnet', 'research', { chain: 'keelson-devnet' }],
  ['what is the gas price on EVM?', 'research', { chain: 'keelson-devnet' }],
  [`balance of 0x${'ab'.repeat(20)}`, 'research', {}],
  ['what is the TVL of the devnet?', 'research', { chain: 'keelson-devnet' }],
  ['my positions', 'research', {}],
  ['what was my volume in the last 24 hours?', 'research', {}],
  ['show my pnl', 'research', {}],
  [`where is my deposit 0x${'cd'.repeat(32)}`, 'research', {}],
  ['hello', 'research', {}],
  ['What can you do?', 'research', {}],
  ['the quick brown fox jumps over the lazy dog', 'research', {}],
  ['💸💸💸', 'research', {}],
  ["don't swap 1 ETH for testUSD", 'research', { token_in: 'ETH', token_out: 'testUSD', amount: '1' }],
  ['sell 1 ETH at 3000 testUSD', 'trade', { token_in: 'ETH', token_out: 'testUSD', amount: '1' }],
  ['swap 1 ETH for testUSD when it is cheap', 'trade', { token_in: 'ETH', token_out: 'testUSD', amount: '1' }],
  ['Tausche 1 ETH gegen testUSD', 'research', { token_in: 'ETH', token_out: 'testUSD' }],
  ['transfer 1 ETH to bob', 'research', { token_in: 'ETH', amount: '1' }],
  ['price of eth in eur', 'quote', { token_in: 'ETH', token_out: 'EUR' }],
]

const TEAMS: Readonly<Record<string, string>> = {
  swap_tokens: 'trading',
  trade: 'trading_team',
  quote: 'trading_team',
  risk_assessment: 'risk_team',
  research: 'research_team',
}

describe('intent of a text', () => {
  for (const [text, intent, entities] of SENTENCES) {
    it(`reads: ${text}`, () => {
      assert.deepEqual(previewIntent(text, NAMES), { intent, entities, team: TEAMS[intent] })
    })
  }

  it('can be read from every text, also without a chain', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 3_000 }), fc.string({ maxLength: 300 })), (text) => {
        for (const names of [NAMES, []]) {
          const { intent, team, entities } = previewIntent(text, names)
          assert.equal(team, TEAMS[intent])
          assert.ok(Object.values(entities).every((value) => typeof value === 'string' && value !== ''))
        }
      }),
    )
  })

  it('can be read from its own words in any order', () => {
    const word = fc.constantFrom(
      ...'swap buy sell for to with of price quote risk 1 2.5 $3 100 usd ETH WETH testUSD testBTC/WETH USDC block 7 chain 901 on devnet how much slippage 1% 50 bps get in'.split(
        ' ',
      ),
      `0x${'ab'.repeat(20)}`,
      `0x${'cd'.repeat(32)}`,
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const { entities } = previewIntent(words.join(' '), NAMES)
        assert.ok(entities.amount === undefined || /^\d+(\.\d+)?$/.test(entities.amount))
        const { token_in: sold, token_out: bought } = entities
        const times = words
          .join(' ')
          .split(/[ /]/)
          .filter((said) => said === sold).length
        assert.ok(sold === undefined || sold !== bought || times > 1, 'a token said once has one side')
      }),
    )
  })

  it('is fast for adversarial texts', () => {
    const full = (part: string) => part.repeat(Math.ceil(3_000 / part.length)).slice(0, 3_000)
    const texts = [
      '1',
      '1,',
      '1,000',
      '.',
      '.1',
      'a.',
      '0x',
      '$',
      '-',
      '/',
      'A/',
      'ETH/',
      '1ETH ',
      '1 ETH for ',
      "'s",
      '→',
      'block ',
      'chain 1 ',
      '1% ',
      'bc1q',
      '1A',
      'f',
      'to ',
    ].map(full)
    for (const text of texts) {
      const judge = expectLittleCpu()
      previewIntent(text, NAMES)
      judge(text.slice(0, 20))
    }
  })
})
