import assert from 'node:assert/strict'
import { bytesToHex } from '@keelson/primitives'
import type { RpcServer } from '@keelson/runtime'
import { JsonRpcProvider, Wallet } from 'ethers'
import {
  BaseError,
  ContractFunctionRevertedError,
  FeeCapTooLowError,
  InsufficientFundsError,
  NonceTooLowError,
  parseAbi,
  TransactionRejectedRpcError,
} from 'viem'
import { account, ECHO_REVERT, openRpcWorld, serveMethods, viemClients } from '../support/execution-rpc-world.ts'
import type { ExecutionWorld } from '../support/execution-world.ts'

describe('execution RPC: wallets', () => {
  let world: ExecutionWorld
  let server: RpcServer
  before(async () => {
    world = await openRpcWorld()
    server = await serveMethods(world.node.methods)
  })
  after(async () => {
    await server.stop()
    await world.stop()
  })
  const viem = () => viemClients(world, server.httpUrl)

  it('viem sends a transfer, waits for its receipt and reads the block', async () => {
    const { reader, writer } = viem()
    const hash = await writer.sendTransaction({ to: account(world, 1).address, value: 123n })
    await world.mine()
    const receipt = await reader.waitForTransactionReceipt({ hash })
    assert.equal(receipt.status, 'success')
    assert.equal(receipt.gasUsed, 21_000n)
    const block = await reader.getBlock({ includeTransactions: true })
    assert.equal(block.transactions[1]?.hash, hash)
    assert.equal(await reader.getBalance({ address: account(world, 1).address }), 1_000n * 10n ** 18n + 123n)
    assert.equal(await reader.getTransactionCount({ address: account(world, 0).address, blockTag: 'pending' }), 1)
  })

  it('viem recognises the errors of a submission', async () => {
    const { writer } = viem()
    const to = account(world, 1).address
    const fees = { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, gas: 21_000n }
    const failure = async (request: Parameters<typeof writer.sendTransaction>[0]) => {
      const error = await writer.sendTransaction(request).then(
        () => assert.fail('expected a refusal'),
        (e: unknown) => e,
      )
      assert.ok(error instanceof BaseError)
      return error
    }
    const low = await failure({ to, nonce: 0, ...fees })
    assert.ok(
      low.walk((e) => e instanceof NonceTooLowError),
      low.message,
    )
    const poor = await failure({ to, nonce: 1, value: 10n ** 30n, ...fees })
    assert.ok(
      poor.walk((e) => e instanceof InsufficientFundsError),
      poor.message,
    )
    await writer.sendTransaction({ to, nonce: 1, ...fees })
    const same = await failure({ to, nonce: 1, ...fees })
    assert.ok(
      same.walk((e) => e instanceof NonceTooLowError),
      '"already known" counts as a used nonce',
    )
    const cheap = await failure({ to, nonce: 1, ...fees, maxFeePerGas: 5_000_000_001n })
    assert.match(cheap.message, /replacement transaction underpriced/)
    assert.equal(
      cheap.walk((e) => e instanceof TransactionRejectedRpcError),
      null,
    )
    await world.mine()
  })

  it('viem decodes reverts and fee errors of calls, and recognises an empty revert', async () => {
    const { reader } = viem()
    const abi = parseAbi(['error Nope(uint256 code)', 'function fail() view returns (uint256)'])
    const read = (data: `0x${string}`) => reader.call({ to: ECHO_REVERT, data }).catch((e: unknown) => e as BaseError)
    const withReason =
      `0x08c379a0${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}${Buffer.from('nope').toString('hex').padEnd(64, '0')}` as const
    assert.match(String(await read(withReason)), /nope/)
    const error = await reader
      .readContract({ address: ECHO_REVERT, abi, functionName: 'fail' })
      .catch((e: unknown) => (e as BaseError).walk((inner) => inner instanceof ContractFunctionRevertedError))
    assert.ok(error instanceof ContractFunctionRevertedError)
    const feeError = await reader
      .call({ to: account(world, 1).address, account: account(world, 0).address, maxFeePerGas: 1n })
      .catch((e: unknown) => (e as BaseError).walk((inner) => inner instanceof FeeCapTooLowError))
    assert.ok(feeError instanceof FeeCapTooLowError)
  })

  it('ethers assigns its own codes to the same errors', async () => {
    const provider = new JsonRpcProvider(server.httpUrl, Number(world.chainId), { staticNetwork: true, batchMaxCount: 1 })
    const wallet = new Wallet(bytesToHex(account(world, 2).privateKey), provider)
    const to = account(world, 1).address
    const fees = { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, gasLimit: 21_000n }
    const sent = await wallet.sendTransaction({ to, value: 1n, ...fees })
    const code = (request: Parameters<typeof wallet.sendTransaction>[0]) =>
      wallet.sendTransaction(request).then(
        () => 'accepted',
        (e: { code?: string }) => e.code,
      )
    assert.equal(await code({ to, nonce: 0, ...fees, maxFeePerGas: 5_000_000_001n }), 'REPLACEMENT_UNDERPRICED')
    await world.mine()
    const receipt = await provider.getTransactionReceipt(sent.hash)
    assert.equal(receipt?.status, 1)
    assert.equal(await code({ to, nonce: 0, ...fees }), 'NONCE_EXPIRED')
    assert.equal(await code({ to, nonce: 1, value: 10n ** 30n, ...fees }), 'INSUFFICIENT_FUNDS')
    const reverted = await provider.call({ to: ECHO_REVERT, data: '0x12345678' }).catch((e: { code: string; data: string }) => e)
    assert.deepEqual(typeof reverted === 'string' ? reverted : { code: reverted.code, data: reverted.data }, {
      code: 'CALL_EXCEPTION',
      data: '0x12345678',
    })
    provider.destroy()
  })
})
