import assert from 'node:assert/strict'
import { hexToBytes } from '@keelson/primitives'
import { keccak256, toBytes } from 'viem'
import { IMPLEMENTATION_SLOT, implementationOf } from './implementation.ts'

const TARGET = `0x${'ab'.repeat(20)}` as const
const EMPTY = new Uint8Array(32)
const code = (hex: string) => hexToBytes(`0x${hex}`)

describe('the implementation of a contract', () => {
  it('is in the slot that ERC-1967 derives from a name', () => {
    assert.equal(BigInt(IMPLEMENTATION_SLOT), BigInt(keccak256(toBytes('eip1967.proxy.implementation'))) - 1n)
    assert.equal(implementationOf(code('6001'), hexToBytes(`0x${'00'.repeat(12)}${TARGET.slice(2)}`)), TARGET)
    assert.equal(implementationOf(code('6001'), EMPTY), null)
  })

  it('is not what a contract keeps there for itself', () => {
    assert.equal(implementationOf(code('6001'), hexToBytes(`0x01${'00'.repeat(11)}${TARGET.slice(2)}`)), null)
  })

  it('is in the code of minimal proxies and of accounts that delegate', () => {
    const clone = `363d3d373d3d3d363d73${TARGET.slice(2)}5af43d82803e903d91602b57fd5bf3`
    assert.equal(implementationOf(code(clone), EMPTY), TARGET)
    assert.equal(implementationOf(code(`${clone}00`), EMPTY), null)
    assert.equal(implementationOf(code(`ef0100${TARGET.slice(2)}`), EMPTY), TARGET)
  })
})
