import assert from 'node:assert/strict'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import type { RpcError } from '@keelson/runtime'
import { account, openRpcWorld } from '../support/execution-rpc-world.ts'
import { rejection } from '../support/rejection.ts'

describe('execution RPC: rejected transactions', () => {
  it('use the texts of geth', async () => {
    const world = await openRpcWorld()
    const to = account(world, 1).address
    const send = (tx: { raw: Uint8Array }) => world.call('eth_sendRawTransaction', bytesToHex(tx.raw))
    const first = world.transfer(0, to, 1n)
    await send(first)
    assert.deepEqual(pick(await rejection(send(first))), [-32000, 'already known'])
    await world.mine()
    assert.deepEqual(pick(await rejection(send(world.transfer(0, to, 2n, { nonce: 0n })))), [
      -32000,
      'nonce too low: next nonce 1, tx nonce 0',
    ])
    assert.match((await rejection(send(world.transfer(0, to, 10n ** 24n)))).message, /^insufficient funds for gas \* price \+ value: /)
    await send(world.transfer(0, to, 1n, { nonce: 1n }))
    assert.equal((await rejection(send(world.transfer(0, to, 2n, { nonce: 1n })))).message, 'replacement transaction underpriced')
    await send(world.transfer(0, to, 3n, { nonce: 1n, tipWei: 2_000_000_000n, maxFeeWei: 13_000_000_000n }))
    const dear = world.transfer(3, to, 1n, { maxFeeWei: 10n ** 15n, tipWei: 1n })
    assert.match((await rejection(send(dear))).message, /^tx fee \(21\.00 ether\) exceeds the configured cap \(1\.00 ether\)$/)
    assert.match((await rejection(world.call('eth_sendRawTransaction', '0x05c0'))).message, /^transaction type not supported/)
    assert.equal((await rejection(world.call('eth_sendRawTransaction'))).number, -32602)
    const gas = world.sign(4, {
      type: 0,
      chainId: world.chainId,
      nonce: 0n,
      gasLimit: 20_000n,
      gasPriceWei: 5n * 10n ** 9n,
      to: hexToBytes(to),
      valueWei: 0n,
      data: new Uint8Array(0),
    })
    assert.match((await rejection(send(gas))).message, /^intrinsic gas too low/)
    const large = world.sign(4, {
      type: 0,
      chainId: world.chainId,
      nonce: 0n,
      gasLimit: 31_000_000n,
      gasPriceWei: 10n ** 9n,
      to: hexToBytes(to),
      valueWei: 0n,
      data: new Uint8Array(0),
    })
    assert.match((await rejection(send(large))).message, /^exceeds block gas limit/)
    const unprotected = world.sign(4, {
      type: 0,
      chainId: null,
      nonce: 0n,
      gasLimit: 21_000n,
      gasPriceWei: 5n * 10n ** 9n,
      to: hexToBytes(to),
      valueWei: 0n,
      data: new Uint8Array(0),
    })
    assert.equal((await rejection(send(unprotected))).message, 'only replay-protected (EIP-155) transactions allowed over RPC')
    assert.equal(world.node.pool.counts().pending, 1, 'a rejected transaction is not kept')
  })
})

describe('execution RPC: an access list for a tip alone', () => {
  it('has room for the base fee, as go-ethereum fills it in', async () => {
    const world = await openRpcWorld()
    const [from, to] = [account(world, 0).address, account(world, 1).address]
    const { accessList } = await world.call('eth_createAccessList', { from, to, maxPriorityFeePerGas: '0x1' }, 'latest')
    assert.deepEqual(accessList, [])
    const both = await rejection(
      world.call('eth_createAccessList', { from, to, maxPriorityFeePerGas: '0x1', maxFeePerGas: '0x2' }, 'latest'),
    )
    assert.match(both.message, /^max fee per gas less than block base fee/)
  })
})

describe('execution RPC: wrong arguments', () => {
  const ABSENT = `0x${'ee'.repeat(32)}`
  const calls: Readonly<Record<string, readonly unknown[]>> = {
    eth_call: [{}, '0xffff', 'text'],
    eth_estimateGas: [{}, '0xffff', {}, 'text'],
    eth_createAccessList: [{}, '0xffff', 'text'],
    debug_traceCall: [[], '0xffff'],
    debug_traceBlock: ['0x00', 'text'],
    debug_traceBlockByNumber: ['0xffff', 'text'],
    debug_traceBlockByHash: [ABSENT, 'text'],
    debug_traceTransaction: [ABSENT, 'text'],
    eth_getProof: [ABSENT.slice(0, 42), ['text'], '0xffff'],
    eth_getStorageAt: [ABSENT.slice(0, 42), 'text', '0xffff'],
  }
  for (const [method, params] of Object.entries(calls))
    it(`are named by ${method} before it looks for the block`, async () => {
      const world = await openRpcWorld()
      assert.equal((await rejection(world.call(method, ...params))).number, -32602)
    })
})

function pick(error: RpcError): [number, string] {
  return [error.number, error.message]
}
