/** Compares random programs with @ethereumjs/evm. */

import assert from 'node:assert/strict'
import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, Address } from '@ethereumjs/util'
import { createVM } from '@ethereumjs/vm'
import { l1ForkRules } from '@keelson/chainspec'
import { createMemoryView } from '@keelson/evm'
import { type Bytes20, bytesToBigint, bytesToHex, createPureCrypto, padLeft } from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'
import { CALLER, TEST_ENV } from '../../support/evm-call.ts'
import { createTestEngine } from '../../support/test-engine.ts'
import { defineSubject } from '../subject.ts'

interface Case {
  readonly programs: readonly Uint8Array[]
  readonly data: Uint8Array
  readonly gas: number
}

const CONTRACTS: readonly Bytes20[] = [0xc1, 0xc2, 0xc3].map((byte) => new Uint8Array(20).fill(byte))
const SLOTS = [0, 1, 2]
const BALANCE = 1_000n

const push = (bytes: readonly number[]) => Uint8Array.of(0x5f + bytes.length, ...bytes)
const small = fc.constantFrom(0, 1, 2, 4, 31, 32, 64, 255).map((value) => push([value]))
const target = fc.constantFrom(
  ...CONTRACTS,
  new Uint8Array(20).fill(0xe0),
  Uint8Array.from({ length: 20 }, (_, i) => (i === 19 ? 4 : 0)),
)
const someGas = fc.constantFrom([0xff, 0xff], [0x08, 0xfc], [0x00, 0x10]).map(push)
const join = (...parts: Arbitrary<Uint8Array>[]) => fc.tuple(...parts).map((list) => Uint8Array.of(...list.flatMap((part) => [...part])))
const op = (...bytes: number[]) => fc.constant(Uint8Array.from(bytes))

const step: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: join(small, small, op(0x55)) },
  { weight: 2, arbitrary: join(small, op(0x54), small, op(0x55)) },
  {
    weight: 2,
    arbitrary: join(
      small,
      small,
      fc.constantFrom(0x01, 0x02, 0x03, 0x04, 0x06, 0x0a, 0x10, 0x14, 0x16, 0x1b, 0x1c, 0x1d).map((byte) => Uint8Array.of(byte)),
    ),
  },
  { weight: 1, arbitrary: join(small, small, op(0x52)) },
  { weight: 1, arbitrary: join(small, small, op(0x5d), small, op(0x5c, 0x50)) },
  { weight: 1, arbitrary: join(small, small, small, op(0xa1)) },
  { weight: 1, arbitrary: join(op(0x60, 0), op(0x60, 0), small, small, op(0x20, 0x50, 0x50, 0x50)) },
  {
    weight: 4,
    arbitrary: join(
      small,
      small,
      small,
      small,
      fc.constantFrom(0, 0, 1, 5).map((wei) => push([wei])),
      target.map((address) => push([...address])),
      someGas,
      fc.constantFrom(0xf1, 0xf1, 0xf2).map((byte) => Uint8Array.of(byte)),
    ),
  },
  {
    weight: 2,
    arbitrary: join(
      small,
      small,
      small,
      small,
      target.map((address) => push([...address])),
      someGas,
      fc.constantFrom(0xf4, 0xfa).map((byte) => Uint8Array.of(byte)),
    ),
  },
  {
    weight: 2,
    arbitrary: join(
      target.map((address) => push([...address])),
      fc.constantFrom(0x31, 0x3b, 0x3f, 0xff).map((byte) => Uint8Array.of(byte)),
    ),
  },
  {
    weight: 2,
    arbitrary: join(
      fc.uint8Array({ minLength: 8, maxLength: 8 }).map((code) => Uint8Array.of(0x67, ...code, 0x60, 0, 0x52)),
      fc.constantFrom(Uint8Array.of(0x60, 8, 0x60, 24, 0x60, 0, 0xf0), Uint8Array.of(0x60, 7, 0x60, 8, 0x60, 24, 0x60, 0, 0xf5)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(0x30, 0x33, 0x34, 0x36, 0x3d, 0x43, 0x44, 0x47, 0x58, 0x59, 0x5a, 0x50, 0x80, 0x90, 0x5b, 0x5f)
      .map((byte) => Uint8Array.of(byte)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom([0x60, 32, 0x60, 0, 0xf3], [0x60, 32, 0x60, 0, 0xfd], [0x00], [0xfe]).map((bytes) => Uint8Array.from(bytes)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }) },
)
const program = fc.array(step, { maxLength: 12 }).map((parts) => Uint8Array.of(...parts.flatMap((part) => [...part])))

export const evmSubject = defineSubject<Case>({
  name: 'evm',
  cases: 6_000,
  caseLimitMs: 20_000,
  async open() {
    const rules = l1ForkRules('cancun')
    const engine = createTestEngine({ crypto: createPureCrypto() })
    const common = createCustomCommon({ chainId: Number(TEST_ENV.chainId) }, Mainnet, { hardfork: Hardfork.Cancun })

    async function ours({ programs, data, gas }: Case) {
      const accounts = CONTRACTS.map((address, i) => ({ address, nonce: 1n, balanceWei: BALANCE, code: programs[i] ?? new Uint8Array(0) }))
      const session = engine.open(createMemoryView([...accounts, { address: CALLER, balanceWei: BALANCE }]), TEST_ENV, rules)
      session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
      const result = session.call({ kind: 'call', from: CALLER, to: CONTRACTS[0] as Bytes20, valueWei: 3n, data, gas: BigInt(gas) })
      return {
        failed: result.status !== 'success',
        gasLeft: result.gasLeft,
        output: bytesToHex(result.output),
        refund: result.gasRefund,
        logs: session.logs().length,
        balances: CONTRACTS.map((address) => session.balance(address)),
        storage: CONTRACTS.flatMap((address) =>
          SLOTS.map((slot) => bytesToBigint(session.storage(address, padLeft(Uint8Array.of(slot), 32)))),
        ),
      }
    }

    async function theirs({ programs, data, gas }: Case): Promise<Awaited<ReturnType<typeof ours>>> {
      const stateManager = new SimpleStateManager({ common })
      const vm = await createVM({ common, stateManager })
      await stateManager.putAccount(new Address(CALLER), new Account(0n, BALANCE))
      for (const [i, bytes] of CONTRACTS.entries()) {
        const address = new Address(bytes)
        await stateManager.putAccount(address, new Account(1n, BALANCE))
        await stateManager.putCode(address, programs[i] ?? new Uint8Array(0))
      }
      // Warms the precompiles, as a transaction does before its call.
      for (const address of (vm.evm as unknown as { precompiles: Map<string, unknown> }).precompiles.keys())
        vm.evm.journal.addAlwaysWarmAddress(address)
      const header = {
        number: TEST_ENV.number,
        coinbase: new Address(TEST_ENV.feeRecipient),
        timestamp: TEST_ENV.timestampSec,
        difficulty: 0n,
        prevRandao: TEST_ENV.prevRandao,
        gasLimit: TEST_ENV.gasLimit,
        baseFeePerGas: 0n,
        getBlobGasPrice: () => 1n,
      }
      const { execResult } = await vm.evm.runCall({
        block: { header } as never,
        caller: new Address(CALLER),
        origin: new Address(CALLER),
        to: new Address(CONTRACTS[0] as Bytes20),
        value: 3n,
        data,
        gasLimit: BigInt(gas),
        gasPrice: 0n,
        skipNonceIncrement: true,
      })
      const failed = execResult.exceptionError !== undefined
      const balances: bigint[] = []
      const storage: bigint[] = []
      for (const bytes of CONTRACTS) {
        const address = new Address(bytes)
        balances.push((await stateManager.getAccount(address))?.balance ?? 0n)
        for (const slot of SLOTS) storage.push(bytesToBigint(await stateManager.getStorage(address, padLeft(Uint8Array.of(slot), 32))))
      }
      return {
        failed,
        gasLeft: BigInt(gas) - execResult.executionGasUsed,
        output: bytesToHex(execResult.returnValue),
        refund: failed ? 0n : (execResult.gasRefund ?? 0n),
        logs: failed ? 0 : (execResult.logs?.length ?? 0),
        balances,
        storage,
      }
    }

    return {
      arbitrary: fc.record({
        programs: fc.tuple(program, program, program),
        data: fc.uint8Array({ maxLength: 40 }),
        gas: fc.constantFrom(1_000, 25_000, 100_000, 300_000),
      }),
      async check(value) {
        assert.deepEqual(await ours(value), await theirs(value))
      },
    }
  },
})
