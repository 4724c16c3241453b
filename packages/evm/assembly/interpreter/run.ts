import {
  CONTEXT,
  CONTEXT_FEE_RECIPIENT,
  FRAME_CALLER,
  FRAME_CODE,
  FRAME_CODE_LENGTH,
  FRAME_GAS,
  FRAME_INPUT_LENGTH,
  FRAME_ACCOUNT,
  FRAME_MEMORY,
  FRAME_MEMORY_BYTES,
  FRAME_PC,
  FRAME_RETURN,
  FRAME_RETURN_LENGTH,
  FRAME_SP,
  FRAME_STACK,
  FRAME_VALUE,
  OPCODE_GAS,
  OPCODE_NEEDS,
  OPCODE_SPAN,
  OPCODE_TABLE,
  STATUS_CALL,
  STATUS_FUEL,
  STATUS_RETURN,
  STATUS_REVERT,
  STATUS_STEPPED,
} from '../../src/wasm/layout'
import { returnDataSize } from '../calls/return-data'
import * as math from '../math'
import { addTo, copyWord, equalWords, exceeds32, isLess, isZero, reverseWord, setAddressWord, setSmall, subtract } from '../words'
import { bitAnd, bitNot, bitOr, bitXor, swapWords } from './bits'
import { opKeccak256 } from './copies'
import { calldataWord } from './environment'
import { takeFuel } from './fuel'
import { haltChecks, haltJump, haltOffset, haltOpcode } from './halt'
import { canJump } from './jumps'
import { expandMemory, expandRange } from './memory'
import * as op from './opcodes'
import { pushBytes } from './pushes'
import { rareOpcode } from './rare-opcodes'
import { opSload, opSstore } from './storage'
import { reportStep } from './report-step'

export type Fast = i32
export type Traced = f32
export type Single = i64

// @ts-ignore: decorator
@inline
function leave(frame: usize, pc: usize, sp: usize, gas: i64): void {
  store<u32>(frame, pc, FRAME_PC)
  store<u32>(frame, sp, FRAME_SP)
  store<i64>(frame, gas, FRAME_GAS)
}

/** Returns a STATUS constant. */
export function run<Mode>(frame: usize): i32 {
  const code = <usize>load<u32>(frame, FRAME_CODE)
  const stack = <usize>load<u32>(frame, FRAME_STACK)
  const memoryBase = <usize>load<u32>(frame, FRAME_MEMORY)
  let memoryBytes = <u64>load<u32>(frame, FRAME_MEMORY_BYTES)
  let pc = code + <usize>load<u32>(frame, FRAME_PC)
  let sp = <usize>load<u32>(frame, FRAME_SP)
  let gas = load<i64>(frame, FRAME_GAS)
  let stepped = false

  while (true) {
    if (isInteger<Mode>() && sizeof<Mode>() == 8) {
      if (stepped) {
        leave(frame, pc - code, sp, gas)
        return STATUS_STEPPED
      }
      stepped = true
    }
    const opcode = <u32>load<u8>(pc)
    if (isFloat<Mode>()) {
      leave(frame, pc - code, sp, gas)
      reportStep(frame, opcode)
    }
    const entry = OPCODE_TABLE + (<usize>opcode << 3)
    gas -= <i64>load<u32>(entry, OPCODE_GAS)
    // One comparison checks both bounds of the stack: too few items wrap around.
    const spare = <u32>(sp - stack) - <u32>load<u16>(entry, OPCODE_NEEDS)
    if (<i32>(gas < 0) | <i32>(spare > <u32>load<u16>(entry, OPCODE_SPAN))) {
      leave(frame, pc - code, sp, gas)
      return haltChecks(frame, opcode, <u32>(sp - stack))
    }
    pc++
    switch (opcode) {
      case op.STOP:
        leave(frame, pc - code, sp, gas)
        store<u32>(frame, 0, FRAME_RETURN_LENGTH)
        return STATUS_RETURN
      case op.ADD:
        sp -= 32
        addTo(sp - 32, sp)
        break
      case op.MUL:
        sp -= 32
        math.multiply(sp, sp - 32, sp - 32)
        break
      case op.SUB:
        sp -= 32
        subtract(sp - 32, sp, sp - 32)
        break
      case op.DIV:
        sp -= 32
        math.unsignedDivide(sp, sp - 32, sp - 32)
        break
      case op.SDIV:
        sp -= 32
        math.signedDivide(sp, sp - 32, sp - 32)
        break
      case op.MOD:
        sp -= 32
        math.unsignedModulo(sp, sp - 32, sp - 32)
        break
      case op.SMOD:
        sp -= 32
        math.signedModulo(sp, sp - 32, sp - 32)
        break
      case op.ADDMOD:
        sp -= 64
        math.addModulo(sp + 32, sp, sp - 32, sp - 32)
        break
      case op.MULMOD:
        sp -= 64
        math.multiplyModulo(sp + 32, sp, sp - 32, sp - 32)
        break
      case op.SIGNEXTEND:
        sp -= 32
        math.signExtend(sp, sp - 32, sp - 32)
        break
      case op.LT:
        sp -= 32
        setSmall(sp - 32, <u64>isLess(sp, sp - 32))
        break
      case op.GT:
        sp -= 32
        setSmall(sp - 32, <u64>isLess(sp - 32, sp))
        break
      case op.SLT:
        sp -= 32
        setSmall(sp - 32, <u64>math.signedLessThan(sp, sp - 32))
        break
      case op.SGT:
        sp -= 32
        setSmall(sp - 32, <u64>math.signedLessThan(sp - 32, sp))
        break
      case op.EQ:
        sp -= 32
        setSmall(sp - 32, <u64>equalWords(sp, sp - 32))
        break
      case op.ISZERO:
        setSmall(sp - 32, <u64>isZero(sp - 32))
        break
      case op.AND:
        sp -= 32
        bitAnd(sp - 32, sp)
        break
      case op.OR:
        sp -= 32
        bitOr(sp - 32, sp)
        break
      case op.XOR:
        sp -= 32
        bitXor(sp - 32, sp)
        break
      case op.NOT:
        bitNot(sp - 32)
        break
      case op.BYTE:
        sp -= 32
        math.byteAt(sp, sp - 32, sp - 32)
        break
      case op.SHL:
        sp -= 32
        math.shiftLeft(sp, sp - 32, sp - 32)
        break
      case op.SHR:
        sp -= 32
        math.shiftRight(sp, sp - 32, sp - 32)
        break
      case op.SAR:
        sp -= 32
        math.shiftRightSigned(sp, sp - 32, sp - 32)
        break
      case op.KECCAK256:
        gas = opKeccak256(frame, sp, gas)
        if (gas < 0) return haltOpcode(frame, pc, sp, gas)
        memoryBytes = <u64>load<u32>(frame, FRAME_MEMORY_BYTES)
        sp -= 32
        break
      case op.ADDRESS:
        setAddressWord(sp, load<u32>(frame, FRAME_ACCOUNT))
        sp += 32
        break
      case op.CALLER:
        setAddressWord(sp, frame + FRAME_CALLER)
        sp += 32
        break
      case op.CALLVALUE:
        copyWord(sp, frame + FRAME_VALUE)
        sp += 32
        break
      case op.CALLDATALOAD:
        calldataWord(frame, sp - 32)
        break
      case op.CALLDATASIZE:
        setSmall(sp, load<u32>(frame, FRAME_INPUT_LENGTH))
        sp += 32
        break
      case op.CODESIZE:
        setSmall(sp, load<u32>(frame, FRAME_CODE_LENGTH))
        sp += 32
        break
      case op.RETURNDATASIZE:
        setSmall(sp, returnDataSize())
        sp += 32
        break
      case op.COINBASE:
      case op.TIMESTAMP:
      case op.NUMBER:
      case op.PREVRANDAO:
      case op.GASLIMIT:
      case op.CHAINID:
        copyWord(sp, CONTEXT + CONTEXT_FEE_RECIPIENT + (<usize>(opcode - op.COINBASE) << 5))
        sp += 32
        break
      case op.POP:
        sp -= 32
        break
      case op.MLOAD: {
        if (exceeds32(sp - 32)) return haltOffset(frame, pc, sp, sp - 32, 32)
        const end = <u64>load<u32>(sp - 32) + 32
        if (end > memoryBytes) {
          gas = expandMemory(frame, end, gas)
          if (gas < 0) return haltOpcode(frame, pc, sp, gas)
          memoryBytes = <u64>load<u32>(frame, FRAME_MEMORY_BYTES)
        }
        reverseWord(sp - 32, memoryBase + load<u32>(sp - 32))
        break
      }
      case op.MSTORE: {
        if (exceeds32(sp - 32)) return haltOffset(frame, pc, sp, sp - 32, 32)
        const end = <u64>load<u32>(sp - 32) + 32
        if (end > memoryBytes) {
          gas = expandMemory(frame, end, gas)
          if (gas < 0) return haltOpcode(frame, pc, sp, gas)
          memoryBytes = <u64>load<u32>(frame, FRAME_MEMORY_BYTES)
        }
        reverseWord(memoryBase + load<u32>(sp - 32), sp - 64)
        sp -= 64
        break
      }
      case op.MSTORE8: {
        if (exceeds32(sp - 32)) return haltOffset(frame, pc, sp, sp - 32, 1)
        const end = <u64>load<u32>(sp - 32) + 1
        if (end > memoryBytes) {
          gas = expandMemory(frame, end, gas)
          if (gas < 0) return haltOpcode(frame, pc, sp, gas)
          memoryBytes = <u64>load<u32>(frame, FRAME_MEMORY_BYTES)
        }
        store<u8>(memoryBase + load<u32>(sp - 32), load<u8>(sp - 64))
        sp -= 64
        break
      }
      case op.SLOAD:
        gas = opSload(frame, sp, gas)
        if (gas < 0) return haltOpcode(frame, pc, sp, gas)
        break
      case op.SSTORE:
        gas = opSstore(frame, sp, gas)
        if (gas < 0) return haltOpcode(frame, pc, sp, gas)
        sp -= 64
        break
      case op.JUMP:
        sp -= 32
        if (!canJump(frame, sp)) return haltJump(frame, pc, sp + 32, gas)
        pc = code + load<u32>(sp)
        if (takeFuel()) {
          leave(frame, pc - code, sp, gas)
          return STATUS_FUEL
        }
        break
      case op.JUMPI:
        sp -= 64
        if (isZero(sp)) break
        if (!canJump(frame, sp + 32)) return haltJump(frame, pc, sp + 64, gas)
        pc = code + load<u32>(sp, 32)
        if (takeFuel()) {
          leave(frame, pc - code, sp, gas)
          return STATUS_FUEL
        }
        break
      case op.PC:
        setSmall(sp, <u64>(pc - 1 - code))
        sp += 32
        break
      case op.MSIZE:
        setSmall(sp, memoryBytes)
        sp += 32
        break
      case op.GAS:
        setSmall(sp, gas)
        sp += 32
        break
      case op.JUMPDEST:
        break
      case op.PUSH0:
        setSmall(sp, 0)
        sp += 32
        break
      case op.PUSH1:
        setSmall(sp, <u64>load<u8>(pc))
        pc++
        sp += 32
        break
      case op.PUSH2:
        setSmall(sp, <u64>bswap<u16>(load<u16>(pc)))
        pc += 2
        sp += 32
        break
      case 0x62: case 0x63: case 0x64: case 0x65: case 0x66: case 0x67: case 0x68: case 0x69:
      case 0x6a: case 0x6b: case 0x6c: case 0x6d: case 0x6e: case 0x6f: case 0x70: case 0x71:
      case 0x72: case 0x73: case 0x74: case 0x75: case 0x76: case 0x77: case 0x78: case 0x79:
      case 0x7a: case 0x7b: case 0x7c: case 0x7d: case 0x7e: case 0x7f:
        pushBytes(sp, pc, opcode - op.PUSH0)
        pc += opcode - op.PUSH0
        sp += 32
        break
      case 0x80: case 0x81: case 0x82: case 0x83: case 0x84: case 0x85: case 0x86: case 0x87:
      case 0x88: case 0x89: case 0x8a: case 0x8b: case 0x8c: case 0x8d: case 0x8e: case 0x8f:
        copyWord(sp, sp - (<usize>(opcode - op.DUP1 + 1) << 5))
        sp += 32
        break
      case 0x90: case 0x91: case 0x92: case 0x93: case 0x94: case 0x95: case 0x96: case 0x97:
      case 0x98: case 0x99: case 0x9a: case 0x9b: case 0x9c: case 0x9d: case 0x9e: case 0x9f:
        swapWords(sp - 32, sp - 32 - (<usize>(opcode - op.SWAP1 + 1) << 5))
        break
      case op.RETURN:
      case op.REVERT:
        gas = expandRange(frame, sp - 32, sp - 64, gas)
        if (gas < 0) return haltOpcode(frame, pc, sp, gas)
        leave(frame, pc - 1 - code, sp, gas)
        store<u32>(frame, memoryBase + load<u32>(sp - 32), FRAME_RETURN)
        store<u32>(frame, load<u32>(sp - 64), FRAME_RETURN_LENGTH)
        return opcode == op.RETURN ? STATUS_RETURN : STATUS_REVERT
      case op.CREATE:
      case op.CALL:
      case op.CALLCODE:
      case op.DELEGATECALL:
      case op.CREATE2:
      case op.STATICCALL:
      case op.SELFDESTRUCT:
        leave(frame, pc - 1 - code, sp, gas)
        return STATUS_CALL
      default:
        gas = rareOpcode(frame, opcode, sp, gas)
        if (gas < 0) return haltOpcode(frame, pc, sp, gas)
        sp = <usize>load<u32>(frame, FRAME_SP)
        memoryBytes = <u64>load<u32>(frame, FRAME_MEMORY_BYTES)
    }
  }
}
