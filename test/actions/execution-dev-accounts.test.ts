import assert from 'node:assert/strict'
import type { UnlockedAccounts } from '@keelson/execution'
import { createPureCrypto } from '@keelson/primitives'
import { type Hex, keccak256, recoverMessageAddress, recoverTypedDataAddress, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

/** Keys of the test world's accounts. */
const KEYS = [0, 1].map((i) => keccak256(stringToHex(`keelson test account ${i}`)))
const CHAIN_ID = 901

describe('execution RPC: unlocked accounts of a development network', () => {
  let world: ExecutionWorld
  const [first, second] = KEYS.map((key) => privateKeyToAccount(key).address.toLowerCase() as Hex) as [Hex, Hex]

  before(async () => {
    const crypto = createPureCrypto()
    const unlocked: UnlockedAccounts = {
      addresses: [first as never],
      sign: (account, digest) => (account === first ? crypto.sign(digest, Buffer.from(KEYS[0]?.slice(2) as string, 'hex')) : null),
    }
    world = await createExecutionWorld({ chainId: BigInt(CHAIN_ID), unlocked })
  })
  after(() => world.stop())

  it('eth_sendTransaction fills nonce, gas and fees, also of transactions sent at once', async () => {
    assert.deepEqual(await world.call('eth_accounts'), [first])
    const request = { from: first, to: second, value: '0x5' }
    const hashes = await Promise.all(
      [request, request, { from: first, data: '0x60015ff3', gasPrice: '0x77359400' }].map((each) =>
        world.call('eth_sendTransaction', each),
      ),
    )
    await world.mine()
    const sent = await Promise.all(hashes.map((hash) => world.call('eth_getTransactionByHash', hash)))
    assert.deepEqual(
      sent.map(({ nonce, type, from }) => [nonce, type, from]),
      [
        ['0x0', '0x2', first],
        ['0x1', '0x2', first],
        ['0x2', '0x0', first],
      ],
    )
    for (const hash of hashes) assert.equal((await world.call('eth_getTransactionReceipt', hash)).status, '0x1')
  })

  it('eth_sendTransaction refuses other accounts, and what fails', async () => {
    assert.equal((await rejection(world.call('eth_sendTransaction', { from: second, to: first }))).message, 'unknown account')
    assert.equal((await rejection(world.call('eth_sendTransaction', { to: first }))).message, 'unknown account')
    const reverting = await rejection(world.call('eth_sendTransaction', { from: first, data: '0x5f5ffd' }))
    assert.equal(reverting.number, 3)
    const authorizing = await rejection(world.call('eth_sendTransaction', { from: first, to: first, authorizationList: [] }))
    assert.match(authorizing.message, /authorizations and blobs have to be signed by the caller/)
  })

  it('personal_sign and eth_sign give signatures of the account', async () => {
    const message = stringToHex('a message')
    const signature = await world.call('personal_sign', message, first, 'password')
    assert.equal((await recoverMessageAddress({ message: { raw: message }, signature })).toLowerCase(), first)
    assert.equal(await world.call('eth_sign', first, message), signature)
    assert.equal((await rejection(world.call('personal_sign', message, second))).message, 'unknown account')
  })

  it('eth_signTypedData_v4 signs structs, arrays and every kind of value, for this chain only', async () => {
    const domain = { name: 'Mail', version: '1', chainId: CHAIN_ID, verifyingContract: second } as const
    const types = {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Person: [
        { name: 'name', type: 'string' },
        { name: 'wallets', type: 'address[]' },
      ],
      Mail: [
        { name: 'from', type: 'Person' },
        { name: 'to', type: 'Person[2]' },
        { name: 'contents', type: 'bytes' },
        { name: 'tag', type: 'bytes4' },
        { name: 'offset', type: 'int64' },
        { name: 'urgent', type: 'bool' },
        { name: 'table', type: 'uint8[][]' },
      ],
    } as const
    const person = (name: string) => ({ name, wallets: [first, second] })
    const message = {
      from: person('a'),
      to: [person('b'), person('c')],
      contents: '0x0102',
      tag: '0x01020304',
      offset: -7,
      urgent: true,
      table: [[1, 2], []],
    }
    const data = { domain, types, primaryType: 'Mail', message }
    for (const given of [data, JSON.stringify(data)]) {
      const signature = await world.call('eth_signTypedData_v4', first, given)
      const recovered = await recoverTypedDataAddress({ domain, types, primaryType: 'Mail', message, signature } as never)
      assert.equal(recovered.toLowerCase(), first)
    }
    const elsewhere = { ...data, domain: { ...domain, chainId: 1 } }
    assert.match(
      (await rejection(world.call('eth_signTypedData_v4', first, elsewhere))).message,
      /domain\.chainId: expected 901, the chain of this network, got 1/,
    )
    const cyclic = {
      domain: {},
      types: { EIP712Domain: [], A: [{ name: 'a', type: 'A' }] },
      primaryType: 'A',
      message: {} as Record<string, unknown>,
    }
    let inner = cyclic.message
    for (let depth = 0; depth < 100; depth++) inner = inner.a = {}
    assert.match((await rejection(world.call('eth_signTypedData_v4', first, cyclic))).message, /nested more than 32 deep/)
  })

  it('methods of simulators are refused with the command that does the same', async () => {
    const commands = {
      evm_snapshot: 'keelson devnet snapshot NAME',
      evm_revert: 'keelson devnet restore NAME',
      evm_increaseTime: 'keelson devnet time +1h',
      evm_setNextBlockTimestamp: 'keelson devnet time +1h',
      anvil_setBalance: 'keelson devnet fund ADDRESS AMOUNT',
      hardhat_setBalance: 'keelson devnet fund ADDRESS AMOUNT',
      anvil_impersonateAccount: 'OptimismPortal.depositTransaction',
    }
    for (const [method, command] of Object.entries(commands)) {
      const { number, message } = await rejection(world.call(method, '0x0'))
      assert.deepEqual(
        [number, message.startsWith(`${method} is not possible on a rollup: `), message.includes(command)],
        [-32004, true, true],
        message,
      )
    }
  })

  it('evm_mine waits for the next block', async () => {
    const before = Number(await world.call('eth_blockNumber'))
    const mined = world.call('evm_mine').then(async () => Number(await world.call('eth_blockNumber')))
    await world.mine()
    assert.equal(await mined, before + 1)
  })

  it('there are none of these methods on another network', async () => {
    const other = await createExecutionWorld()
    assert.deepEqual(await other.call('eth_accounts'), [])
    for (const method of ['eth_sendTransaction', 'eth_sign', 'personal_sign', 'eth_signTypedData_v4', 'evm_mine', 'evm_snapshot'])
      assert.equal(other.node.methods[method], undefined, method)
    await other.stop()
  })
})
