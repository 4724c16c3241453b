import {
  CONTEXT,
  CONTEXT_BASE_FEE,
  CONTEXT_BLOB_BASE_FEE,
  CONTEXT_GAS_PRICE,
  CONTEXT_ORIGIN,
  FRAME_SP,
} from '../../src/wasm/layout'
import { countLeadingZeros } from '../math'
import { copyWord } from '../words'
import { opBalance, opExtcodecopy, opExtcodehash, opExtcodesize } from './account-opcodes'
import { opCalldatacopy, opCodecopy, opMcopy, opReturndatacopy } from './copies'
import { opBlobhash, opBlockhash, opExp, opSelfbalance } from './environment'
import { opLog } from './log'
import * as op from './opcodes'
import { opTload, opTstore } from './storage'

/** Returns the remaining gas, or a negative number; writes the new top of the stack to FRAME_SP. */
export function rareOpcode(frame: usize, opcode: u32, sp: usize, gas: i64): i64 {
  store<u32>(frame, sp + growth(opcode), FRAME_SP)
  switch (opcode) {
    case op.EXP:
      return opExp(frame, sp, gas)
    case op.BALANCE:
      return opBalance(frame, sp, gas)
    case op.EXTCODESIZE:
      return opExtcodesize(frame, sp, gas)
    case op.EXTCODEHASH:
      return opExtcodehash(frame, sp, gas)
    case op.EXTCODECOPY:
      return opExtcodecopy(frame, sp, gas)
    case op.CALLDATACOPY:
      return opCalldatacopy(frame, sp, gas)
    case op.CODECOPY:
      return opCodecopy(frame, sp, gas)
    case op.RETURNDATACOPY:
      return opReturndatacopy(frame, sp, gas)
    case op.MCOPY:
      return opMcopy(frame, sp, gas)
    case op.TLOAD:
      return opTload(frame, sp, gas)
    case op.TSTORE:
      return opTstore(frame, sp, gas)
    case op.LOG0:
    case op.LOG1:
    case op.LOG2:
    case op.LOG3:
    case op.LOG4:
      return opLog(frame, sp, gas, opcode - op.LOG0)
  }
  pushOrReplace(frame, opcode, sp)
  return gas
}

function growth(opcode: u32): i32 {
  switch (opcode) {
    case op.ORIGIN:
    case op.GASPRICE:
    case op.SELFBALANCE:
    case op.BASEFEE:
    case op.BLOBBASEFEE:
      return 32
    case op.EXP:
      return -32
    case op.TSTORE:
      return -64
    case op.CALLDATACOPY:
    case op.CODECOPY:
    case op.RETURNDATACOPY:
    case op.MCOPY:
      return -96
    case op.EXTCODECOPY:
      return -128
    case op.LOG0:
    case op.LOG1:
    case op.LOG2:
    case op.LOG3:
    case op.LOG4:
      return -64 - <i32>((opcode - op.LOG0) << 5)
  }
  return 0
}

function pushOrReplace(frame: usize, opcode: u32, sp: usize): void {
  switch (opcode) {
    case op.ORIGIN:
      return copyWord(sp, CONTEXT + CONTEXT_ORIGIN)
    case op.GASPRICE:
      return copyWord(sp, CONTEXT + CONTEXT_GAS_PRICE)
    case op.SELFBALANCE:
      return opSelfbalance(frame, sp)
    case op.BASEFEE:
      return copyWord(sp, CONTEXT + CONTEXT_BASE_FEE)
    case op.BLOBBASEFEE:
      return copyWord(sp, CONTEXT + CONTEXT_BLOB_BASE_FEE)
    case op.BLOCKHASH:
      return opBlockhash(sp - 32)
    case op.BLOBHASH:
      return opBlobhash(sp - 32)
    case op.CLZ:
      return countLeadingZeros(sp - 32, sp - 32)
  }
}
