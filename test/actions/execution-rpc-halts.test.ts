/**
 * Texts of go-ethereum 1.17.10: core/vm/errors.go, core/vm/common.go, core/vm/opcodes.go, core/vm/contracts.go,
 * crypto/bn256/gnark/g1.go and g2.go, eth/gasestimator/gasestimator.go.
 */
import assert from 'node:assert/strict'
import { type Hex, toAddress } from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

const CODE = toAddress('0x00000000000000000000000000000000000c0de1')
const POOR = toAddress('0x00000000000000000000000000000000000900a1')
const G1_GENERATOR = `${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}`
const BN254_MODULUS = '30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47'
const address = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`
const zeros = (bytes: number) => '00'.repeat(bytes)
const blsElement = (value: string) => value.padStart(128, '0')
/** RETURN of so many bytes. */
const returning = (bytes: number): Hex => `0x62${bytes.toString(16).padStart(6, '0')}5ff3`

interface Halt {
  readonly name: string
  /** Code of the called account; without it `to` or a creation. */
  readonly code?: Hex
  readonly to?: Hex
  readonly data?: Hex
  readonly text: string
  /** What an estimate says, where it is not `text`. */
  readonly estimate?: string
}

const FRAMES: readonly Halt[] = [
  { name: 'INVALID', code: '0xfe', text: 'invalid opcode: INVALID' },
  { name: 'an undefined opcode', code: '0x0c', text: 'invalid opcode: opcode 0xc not defined' },
  { name: 'an opcode of no fork', code: '0x5f5f5fef', text: 'invalid opcode: opcode 0xef not defined' },
  { name: 'an opcode of EOF', code: '0xe1', text: 'invalid opcode: RJUMPI' },
  { name: 'an opcode of a later fork', code: '0x5f1e4b', text: 'invalid opcode: CLZ' },
  { name: 'a stack underflow', code: '0x01', text: 'stack underflow (0 <=> 2)' },
  { name: 'a stack underflow of a deep DUP', code: '0x5f5f8f', text: 'stack underflow (2 <=> 16)' },
  { name: 'a stack overflow', code: '0x5b5f5f56', text: 'stack limit reached 1024 (1023)' },
  { name: 'a jump beside a JUMPDEST', code: '0x600356', text: 'invalid jump destination' },
  { name: 'a conditional jump into push data', code: '0x60016004575b605b', text: 'invalid jump destination' },
  { name: 'RETURNDATACOPY beyond the data', code: '0x60015f5f3e', text: 'return data out of bounds' },
  { name: 'an offset beyond 64 bits', code: `0x7f${'ff'.repeat(32)}51`, text: 'gas uint64 overflow' },
  {
    name: 'memory that has no price',
    code: '0x64200000000051',
    text: 'out of gas: gas uint64 overflow',
    estimate: 'gas uint64 overflow',
  },
  {
    name: 'init code above the limit in CREATE',
    code: '0x61c0015f5ff0',
    text: 'out of gas: max initcode size exceeded: code size 49153 limit 49152',
    estimate: 'max initcode size exceeded: code size 49153 limit 49152',
  },
]

const CREATIONS: readonly Halt[] = [
  { name: 'INVALID in init code', data: '0xfe', text: 'invalid opcode: INVALID' },
  { name: 'an undefined opcode in init code', data: '0xef', text: 'invalid opcode: opcode 0xef not defined' },
  { name: 'code above the limit', data: returning(24_577), text: 'max code size exceeded: code size 24577 limit 24576' },
  { name: 'code that begins with 0xef', data: '0x60ef5f5360015ff3', text: 'invalid code: must not begin with 0xef' },
  {
    name: 'code above the limit that begins with 0xef',
    data: '0x60ef5f536160015ff3',
    text: 'invalid code: must not begin with 0xef',
  },
]

const PRECOMPILES: readonly Halt[] = [
  {
    name: 'bn254 add beside the curve',
    to: address(6),
    data: `0x${'1'.padStart(64, '0')}${'1'.padStart(64, '0')}`,
    text: 'point is not on curve',
  },
  { name: 'bn254 add of a coordinate above the modulus', to: address(6), data: `0x${BN254_MODULUS}`, text: 'invalid fp.Element encoding' },
  { name: 'bn254 multiply beside the curve', to: address(7), data: `0x${'1'.padStart(64, '0')}`, text: 'point is not on curve' },
  { name: 'a bn254 pairing of another length', to: address(8), data: `0x${zeros(191)}`, text: 'bad elliptic curve pairing size' },
  {
    name: 'a bn254 pairing beside the second curve',
    to: address(8),
    data: `0x${G1_GENERATOR}${zeros(127)}01`,
    text: 'point is not on curve',
  },
  { name: 'blake2f of another length', to: address(9), data: '0x00', text: 'invalid input length' },
  { name: 'blake2f with another final flag', to: address(9), data: `0x${zeros(212)}02`, text: 'invalid final flag' },
  { name: 'a point evaluation of another length', to: address(10), data: '0x', text: 'invalid input length' },
  { name: 'a point evaluation of another hash', to: address(10), data: `0x${zeros(192)}`, text: 'mismatched versioned hash' },
  { name: 'bls12 add of another length', to: address(11), data: '0x', text: 'invalid input length' },
  {
    name: 'bls12 add with high bytes',
    to: address(11),
    data: `0x01${zeros(255)}`,
    text: 'invalid field element top bytes',
  },
  {
    name: 'bls12 add of an element above the modulus',
    to: address(11),
    data: `0x${blsElement('ff'.repeat(48))}${zeros(192)}`,
    text: 'invalid fp.Element encoding',
  },
  {
    name: 'bls12 add beside the curve',
    to: address(11),
    data: `0x${blsElement('1')}${blsElement('1')}${zeros(128)}`,
    text: 'invalid point: not on curve',
  },
  {
    // (0, 2) is on y^2 = x^3 + 4 and of order 3.
    name: 'a bls12 sum outside of the subgroup',
    to: address(12),
    data: `0x${blsElement('0')}${blsElement('2')}${zeros(32)}`,
    text: 'g1 point is not on correct subgroup',
  },
  {
    name: 'a bls12 pairing outside of the first subgroup, in the second pair',
    to: address(15),
    data: `0x${zeros(384)}${blsElement('0')}${blsElement('2')}${zeros(256)}`,
    text: 'g1 point is not on correct subgroup',
  },
  {
    name: 'a bls12 pairing outside of a subgroup before a bad element',
    to: address(15),
    data: `0x${blsElement('0')}${blsElement('2')}${zeros(256)}01${zeros(383)}`,
    text: 'g1 point is not on correct subgroup',
  },
  { name: 'bls12 map with high bytes', to: address(16), data: `0x01${zeros(63)}`, text: 'invalid field element top bytes' },
]

describe('execution RPC: calls that halt', () => {
  let world: ExecutionWorld
  before(async () => {
    world = await createExecutionWorld()
  })
  after(() => world.stop())

  const requestOf = ({ code, to, data }: Halt) => ({
    call: { ...(code === undefined ? (to === undefined ? {} : { to }) : { to: CODE }), ...(data === undefined ? {} : { data }) },
    overrides: code === undefined ? {} : { [CODE]: { code } },
  })

  for (const halt of [...FRAMES, ...CREATIONS, ...PRECOMPILES]) {
    it(`name the cause: ${halt.name}`, async () => {
      const { call, overrides } = requestOf(halt)
      const refused = await rejection(world.call('eth_call', call, 'latest', overrides))
      assert.deepEqual([refused.number, refused.message], [-32000, halt.text])
      const unestimated = await rejection(world.call('eth_estimateGas', call, 'latest', overrides))
      assert.deepEqual([unestimated.number, unestimated.message], [-32000, halt.estimate ?? halt.text])
      assert.equal((await world.call('eth_createAccessList', call, 'latest', overrides)).error, halt.text)
      const traced = await world.call('debug_traceCall', call, 'latest', { tracer: 'callTracer', stateOverrides: overrides })
      assert.equal(traced.error, halt.text)
      const [block] = await world.call('eth_simulateV1', { blockStateCalls: [{ calls: [call], stateOverrides: overrides }] }, 'latest')
      assert.deepEqual(block.calls[0].error, { code: -32015, message: halt.text })
    })
  }

  it('exceed the allowance only where more gas would help', async () => {
    const estimateOf = async (code: Hex, more: object = {}) =>
      (await rejection(world.call('eth_estimateGas', { to: CODE, ...more }, 'latest', { [CODE]: { code } }))).message
    assert.match(await estimateOf('0x5b5f56'), /^gas required exceeds allowance \(\d+\)$/)
    // EIP-2200: an SSTORE needs more than 2,300 gas.
    assert.equal(await estimateOf('0x60015f55', { gas: '0x5900' }), 'gas required exceeds allowance (22784)')
    // BALANCE of a cold account.
    assert.equal(await estimateOf('0x60ff31', { gas: '0x5300' }), 'gas required exceeds allowance (21248)')
    const short = await rejection(world.call('eth_estimateGas', { to: address(5), gas: '0x5208' }, 'latest'))
    assert.equal(short.message, 'gas required exceeds allowance (21000)')
    // geth's estimator takes this for no lack of gas, as the failure of a creation has its own name.
    const undeposited = await rejection(world.call('eth_estimateGas', { data: returning(1000), gas: '0x1ffff' }))
    assert.equal(undeposited.message, 'contract creation code storage out of gas')
  })

  it('name an address that is taken, a nonce that overflows, and a sender that cannot pay', async () => {
    const created = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
    const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    const estimate = async (call: object, overrides: object) =>
      (await rejection(world.call('eth_estimateGas', call, 'latest', overrides))).message
    const call = async (request: object, overrides: object) =>
      (await rejection(world.call('eth_call', request, 'latest', overrides))).message
    const taken = { [from]: { nonce: '0x0' }, [created]: { nonce: '0x1' } }
    assert.equal(await estimate({ from, data: '0x00' }, taken), 'contract address collision')
    assert.equal(await call({ from, data: '0x00' }, taken), 'contract address collision')
    const last = { [POOR]: { nonce: '0xffffffffffffffff' } }
    assert.equal(await estimate({ from: POOR, data: '0x00' }, last), 'nonce uint64 overflow')
    assert.equal(await call({ from: POOR, data: '0x00' }, last), 'nonce uint64 overflow')
    assert.equal(await world.call('eth_estimateGas', { from: POOR, to: CODE }, 'latest', last), '0x5208')
    assert.match(await estimate({ from: POOR, to: CODE, value: '0x1' }, {}), /^insufficient funds for gas \* price \+ value: /)
    const priced = { from: POOR, to: CODE, value: '0x5', gasPrice: '0x3b9aca00' }
    assert.equal(await estimate(priced, { [POOR]: { balance: '0x5' } }), 'insufficient funds for transfer')
    const oversized = `0x${zeros(49_153)}`
    assert.equal(await call({ data: oversized }, {}), 'max initcode size exceeded: code size 49153 limit 49152')
    assert.equal(await estimate({ data: oversized }, {}), 'max initcode size exceeded: code size 49153 limit 49152')
  })

  it('name what a frame inside did not survive', async () => {
    // core/vm/gas_table.go checks for static calls while it prices the step, core/vm/instructions.go during execution.
    const errorOf = async (code: Hex) => {
      const outer = `0x5f5f5f5f73${POOR.slice(2)}5afa00`
      const overrides = { [CODE]: { code: outer }, [POOR]: { code } }
      const trace = await world.call('debug_traceCall', { to: CODE }, 'latest', { tracer: 'callTracer', stateOverrides: overrides })
      return trace.calls[0].error
    }
    for (const code of ['0x60015f55', '0x5f5f5ff0', '0x5f5f5f5ff5', '0x5f5f5f5f60015f5ff1', '0x5fff'] as const)
      assert.equal(await errorOf(code), 'out of gas: write protection', code)
    for (const code of ['0x5f5fa0', '0x5f5f5fa1', '0x5f5f5d'] as const) assert.equal(await errorOf(code), 'write protection', code)
  })
})
