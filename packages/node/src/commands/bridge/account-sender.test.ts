import assert from 'node:assert/strict'
import { createPureCrypto, toAddress } from '@keelson/primitives'
import { createManualClock, createSilentLogger, Secret } from '@keelson/runtime'
import { createFakeL1 } from '../../../../client/src/tx/fake-l1.test-support.ts'
import { createAccountSender } from './account-sender.ts'
import { feeLimitsOf } from './fee-options.ts'

const ETHER = 10n ** 18n
const GWEI = 10n ** 9n
const key = new Uint8Array(32).fill(5)
const account = toAddress(createPureCrypto().addressOf(key))

function createWorld(values: Parameters<typeof feeLimitsOf>[0]) {
  const l1 = createFakeL1(account)
  l1.balanceWei = 1000n * ETHER
  l1.baseFeeWei = GWEI
  l1.tipWei = GWEI
  const sender = createAccountSender({
    chainName: 'L1',
    chain: l1,
    chainId: 900n,
    key: new Secret(key),
    fees: feeLimitsOf(values),
    clock: createManualClock(1_000_000),
    log: createSilentLogger(),
    onSent: () => undefined,
  })
  const send = (valueWei: bigint) => sender.send({ purpose: 'deposit', to: account, data: new Uint8Array(0), valueWei })
  return { l1, send }
}

describe('the account of a bridge or validator command', () => {
  const defaults = { maxFee: '0.1', maxTipWei: null }

  it('loses nothing to a node that asks for the whole balance as tip, and says what it asked and what is allowed', async () => {
    const { l1, send } = createWorld(defaults)
    l1.tipWei = (900n * ETHER) / 21_000n
    await assert.rejects(send(1n), {
      code: 'client/spending-limit',
      message: new RegExp(`tip of ${l1.tipWei} wei.*cap is 10000000000 \\(--max-tip\\)`),
    })
    assert.equal(l1.sent.length, 0)
  })

  it('nor to one that lies about the base fee or about gas too', async () => {
    const { l1, send } = createWorld(defaults)
    l1.baseFeeWei = 1_000_000n * GWEI
    l1.tipWei = 2_000_000n * GWEI
    await assert.rejects(send(1n), { code: 'client/spending-limit', message: /the limit is 100000000000000000 \(--max-fee\)/ })
    l1.baseFeeWei = GWEI
    l1.tipWei = 10n * GWEI
    l1.gas = 10n ** 9n
    await assert.rejects(send(1n), { message: /1500000000 gas.*--max-fee/ })
    assert.equal(l1.sent.length, 0)
  })

  it('sends any value at prices within the limits, and beyond them when told to', async () => {
    const { l1, send } = createWorld(defaults)
    void send(500n * ETHER).catch(() => undefined)
    for (let i = 0; i < 1000 && l1.pool.size === 0; i++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(l1.pool.get(0n)?.valueWei, 500n * ETHER)
    const allowed = createWorld({ maxFee: '5', maxTipWei: 50_000n * GWEI })
    allowed.l1.tipWei = 50_000n * GWEI
    void allowed.send(1n).catch(() => undefined)
    for (let i = 0; i < 1000 && allowed.l1.pool.size === 0; i++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(allowed.l1.pool.size, 1)
  })

  it('asked for more than it has says what it has, and sends nothing', async () => {
    const { l1, send } = createWorld(defaults)
    for (const valueWei of [1000n * ETHER, 5000n * ETHER]) {
      const wanted = valueWei / ETHER
      const message = new RegExp(`^${account} has 1000 on L1, and ${wanted} and the fee are to be sent: .*nothing was sent$`)
      await assert.rejects(send(valueWei), { code: 'node/usage', message })
    }
    assert.equal(l1.sent.length, 0)
  })

  it('refuses a limit that is no amount', () => {
    assert.throws(() => feeLimitsOf({ maxFee: '1e3', maxTipWei: null }), { code: 'node/usage', message: /--max-fee 1e3/ })
  })
})
