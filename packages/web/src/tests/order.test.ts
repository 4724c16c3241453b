import assert from 'node:assert/strict'
import { readOrder } from '../client/pages/chat/order.ts'

const [NATIVE, DOLLAR] = [`0x${'e'.repeat(40)}`, `0x6b65656c736f6e${'0'.repeat(24)}20`]
const INPUT = { chain_id: 901, token_in_address: NATIVE, token_out_address: DOLLAR, amount_in: '0.1', simulate_only: false }
const bodyWith = (input: object, more: object = {}) => JSON.stringify({ input: { ...INPUT, ...input }, confirm: true, ...more })

describe('a trade in an answer of the chat', () => {
  it('is read, so that a card is shown instead of JSON', () => {
    assert.deepEqual(readOrder(bodyWith({ slippage_bps: 50 }, { wallet_ref: 'devnet', quote_id: 'q1' })), {
      ...{ chainId: 901, tokenIn: NATIVE, tokenOut: DOLLAR, amount: '0.1', isUsd: false, slippageBps: 50, walletRef: 'devnet' },
    })
    const least = readOrder(bodyWith({ amount_in_currency: 'usd' }))
    assert.deepEqual([least?.isUsd, least?.slippageBps, least?.walletRef], [true, null, null])
  })

  const rows: readonly (readonly [what: string, text: string])[] = [
    ['other JSON', '{"price":"3000"}'],
    ['no JSON', 'cast call 0x00'],
    ['a list', '[1]'],
    ['null', 'null'],
    ['a chain that is no number', bodyWith({ chain_id: '901' })],
    ['a token that is no address', bodyWith({ token_in_address: '<b>ETH</b>' })],
    ['an amount that is no decimal', bodyWith({ amount_in: '1e9 ETH' })],
    ['more text than an order has', bodyWith({ more: 'x'.repeat(5_000) })],
  ]
  for (const [what, text] of rows) it(`is not made of ${what}`, () => assert.equal(readOrder(text), null))

  it('has no name of a wallet that could be words', () => {
    assert.equal(readOrder(bodyWith({}, { wallet_ref: 'click here to confirm' }))?.walletRef, null)
  })
})
