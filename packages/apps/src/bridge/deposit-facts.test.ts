import assert from 'node:assert/strict'
import { encodeCall } from '@keelson/contracts'
import { type Address, bytesToHex, keccak256Hash, L2_CROSS_DOMAIN_MESSENGER, L2_STANDARD_BRIDGE, toAddress } from '@keelson/primitives'
import { ALICE, type DepositInput, depositLog, hashOf } from '../../../../test/support/bridge/fake-chains.ts'
import { MESSENGER, STANDARD_BRIDGE } from '../../../../test/support/bridge/status-world.ts'
import { aliasOf, type BridgeSenders, depositFacts } from './deposit-facts.ts'

const SENDERS: BridgeSenders = { messenger: MESSENGER, standardBridge: STANDARD_BRIDGE }
const [VICTIM, SHOP, STRANGER] = ['0xaa', '0xbb', '0xcc'].map((byte) => toAddress(`0x${byte.slice(2).repeat(20)}`)) as [
  Address,
  Address,
  Address,
]
const TOKENS = { l1: toAddress(`0x${'01'.repeat(20)}`), l2: toAddress(`0x${'02'.repeat(20)}`) }
const FORTUNE = 1_000n * 10n ** 18n

const bridgedEth = (amount: bigint) => encodeCall('finalizeBridgeETH(address,address,uint256,bytes)', [VICTIM, SHOP, amount, '0x'])
const bridgedErc20 = encodeCall('finalizeBridgeERC20(address,address,address,address,uint256,bytes)', [
  TOKENS.l2,
  TOKENS.l1,
  VICTIM,
  SHOP,
  FORTUNE,
  '0x',
])
const message = (sender: Address, call: Uint8Array, { value = 0n, target = L2_STANDARD_BRIDGE } = {}) =>
  encodeCall('relayMessage(uint256,address,address,uint256,uint256,bytes)', [1n << 240n, sender, target, value, 200_000n, bytesToHex(call)])

function factsOf(input: DepositInput, senders = SENDERS) {
  const block = { number: 1, hash: hashOf('l1'), parentHash: hashOf('l1', 0), timestampSec: 1 }
  return depositFacts({ log: depositLog(input), logIndex: 0, txHash: hashOf('tx'), block }, senders)
}
function shown(input: DepositInput, senders?: BridgeSenders) {
  const { kind, sender, recipient, amount, token } = factsOf(input, senders)
  return { kind, sender, recipient, amount, token }
}

const viaMessenger = (data: Uint8Array, mintWei: bigint): DepositInput => ({
  from: aliasOf(MESSENGER),
  to: L2_CROSS_DOMAIN_MESSENGER,
  mintWei,
  data,
})
const plain = (from: Address, amount: bigint) => ({
  kind: 'message',
  sender: from,
  recipient: L2_CROSS_DOMAIN_MESSENGER,
  amount: `${amount}`,
  token: null,
})

describe('the description of a deposit', () => {
  it('is the bridged transfer when the bridge made the deposit', () => {
    assert.deepEqual(shown(viaMessenger(message(STANDARD_BRIDGE, bridgedEth(7n), { value: 7n }), 7n)), {
      kind: 'native',
      sender: VICTIM,
      recipient: SHOP,
      amount: '7',
      token: null,
    })
    assert.deepEqual(shown(viaMessenger(message(STANDARD_BRIDGE, bridgedErc20), 0n)), {
      kind: 'erc20',
      sender: VICTIM,
      recipient: SHOP,
      amount: `${FORTUNE}`,
      token: TOKENS,
    })
  })

  it('is a plain message when a stranger sends the bridge’s call through the messenger', () => {
    const plainMessage = { kind: 'message', sender: STRANGER, recipient: L2_STANDARD_BRIDGE, amount: '0', token: null }
    for (const call of [bridgedEth(FORTUNE), bridgedErc20]) {
      assert.deepEqual(shown(viaMessenger(message(STRANGER, call), 0n)), plainMessage)
    }
    assert.deepEqual(shown(viaMessenger(message(STRANGER, bridgedEth(5n), { value: 5n }), 5n)), { ...plainMessage, amount: '5' })
  })

  it('is a plain message when the bridge’s call goes to another contract than the bridge', () => {
    const { kind, sender, recipient, amount } = shown(
      viaMessenger(message(STANDARD_BRIDGE, bridgedEth(7n), { value: 7n, target: SHOP }), 7n),
    )
    assert.deepEqual([kind, sender, recipient, amount], ['message', STANDARD_BRIDGE, SHOP, '7'])
  })

  it('reports no amount that the deposit does not mint', () => {
    const { kind, amount } = shown(viaMessenger(message(STANDARD_BRIDGE, bridgedEth(FORTUNE), { value: 7n }), 7n))
    assert.deepEqual([kind, amount], ['message', '7'])
    const withValue = shown(viaMessenger(message(STANDARD_BRIDGE, bridgedErc20, { value: 7n }), 7n))
    assert.deepEqual([withValue.kind, withValue.amount, withValue.token], ['message', '7', null])
    assert.deepEqual(
      shown(viaMessenger(message(STRANGER, new Uint8Array(0), { value: FORTUNE, target: SHOP }), 3n)),
      plain(aliasOf(MESSENGER), 3n),
    )
  })

  it('is a plain call when anyone but the L1 messenger calls the L2 one', () => {
    const data = message(STANDARD_BRIDGE, bridgedEth(FORTUNE), { value: FORTUNE })
    for (const from of [STRANGER, MESSENGER, STANDARD_BRIDGE, aliasOf(STANDARD_BRIDGE)]) {
      const input = { from, to: L2_CROSS_DOMAIN_MESSENGER, mintWei: 2n, data }
      assert.deepEqual(shown(input), plain(from, 2n))
      assert.equal(factsOf(input).messageHash, null)
    }
  })

  it('is a plain call where the L1 contracts are unknown, but still detects a failed message', () => {
    const data = message(STANDARD_BRIDGE, bridgedEth(7n), { value: 7n })
    assert.deepEqual(shown(viaMessenger(data, 7n), { messenger: null, standardBridge: null }), plain(aliasOf(MESSENGER), 7n))
    assert.equal(factsOf(viaMessenger(data, 7n), { messenger: null, standardBridge: null }).messageHash, keccak256Hash(data))
    assert.equal(shown(viaMessenger(data, 7n), { ...SENDERS, standardBridge: null }).kind, 'message')
  })

  it('excludes value that the sender must hold on L2', () => {
    const to = SHOP
    assert.deepEqual(shown({ from: STRANGER, to, mintWei: 0n, valueWei: FORTUNE }), {
      kind: 'message',
      sender: STRANGER,
      recipient: SHOP,
      amount: '0',
      token: null,
    })
    assert.deepEqual(
      [shown({ to, mintWei: 4n, valueWei: FORTUNE }).kind, shown({ to, mintWei: 4n, valueWei: FORTUNE }).amount],
      ['message', '4'],
    )
    assert.deepEqual(shown({ from: ALICE, to, mintWei: 7n, valueWei: 5n }), {
      kind: 'native',
      sender: ALICE,
      recipient: SHOP,
      amount: '5',
      token: null,
    })
  })
})
