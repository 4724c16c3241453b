import assert from 'node:assert/strict'
import { bytesToHex } from '@keelson/primitives'
import { assemble } from './assemble.ts'
import type { Program } from './program.ts'

const hex = (program: Program) => bytesToHex(assemble(program))

describe('assembling a program', () => {
  it('pushes arguments from the last to the first and pops a result', () => {
    assert.equal(hex([{ do: 'run', expr: ['SSTORE', '0x01', ['ADD', '0x02', '0x0003']] }]), '0x610003600201600155')
    assert.equal(hex([{ do: 'run', expr: ['GAS'] }]), '0x5a50')
  })

  it('places init code behind a STOP and copies it from there', () => {
    const create = { create: 'CREATE', value: '0x00', salt: '0x00', init: [{ do: 'raw', bytes: '0x00' }] } as const
    // CODECOPY(0, 17, 1), CREATE(0, 0, 1), POP, STOP, then the data
    assert.equal(hex([{ do: 'run', expr: create }]), '0x6001610011600039600160006000f0500000')
  })

  it('jumps to JUMPDEST only', () => {
    const loop = hex([{ do: 'loop', times: 2, body: [] }])
    // PUSH1 2, JUMPDEST at 2, PUSH1 1 SWAP1 SUB DUP1 PUSH2 2 JUMPI POP
    assert.equal(loop, '0x60025b60019003806100025750')
  })

  it('leaves out a mixed opcode that lacks operands', () => {
    assert.equal(hex([{ do: 'mix', operands: ['0x01'], opcodes: ['ADD', 'DUP1'] }]), '0x6001805050')
  })
})
