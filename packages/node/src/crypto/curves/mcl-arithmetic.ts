import { AssemblyError } from '../../errors.ts'
import type { CurveArithmetic, GroupOperations } from './arithmetic.ts'
import type { CurveShape } from './curve-shape.ts'
import type { MclModule } from './mcl-module.ts'

const BN_SNARK1 = 4
/** Six words per field element, four per scalar. */
const COMPILED_FOR = 46
const FP_BYTES = 48

/** Sets the instance of mcl to BN254; an instance has one curve only. Throws AssemblyError `node/native-module`. */
export function createMclArithmetic(mcl: MclModule, { fieldBytes }: CurveShape): CurveArithmetic {
  const failed = mcl._mclBn_init(BN_SNARK1, COMPILED_FOR)
  if (failed !== 0) throw new AssemblyError('node/native-module', `mcl-wasm did not take curve ${BN_SNARK1}: error ${failed}`, {})
  // Disables mcl's own checks, which multiply by the order.
  mcl._mclBn_verifyOrderG1(0)
  mcl._mclBn_verifyOrderG2(0)
  return {
    memory: mcl.wasmMemory,
    elementBytes: FP_BYTES,
    groups: [firstGroup(mcl), secondGroup(mcl)],
    allocate: mcl._malloc,
    readElement: (z, bytes) => void mcl._mclBnFp_setBigEndianMod(z, bytes, fieldBytes),
    writeElement(bytes, x) {
      // mcl writes no leading zeros.
      const length = mcl._mclBnFp_getLittleEndian(bytes, fieldBytes, x)
      new Uint8Array(mcl.wasmMemory.buffer, bytes, fieldBytes).fill(0, length).reverse()
    },
    negate: mcl._mclBnFp_neg,
    multiply: mcl._mclBnFp_mul,
    multiply2: mcl._mclBnFp2_mul,
    pairing: {
      setOne: (z) => mcl._mclBnGT_setInt32(z, 1),
      multiply: mcl._mclBnGT_mul,
      millerLoop: mcl._mclBn_millerLoopVec,
      isExponentiatedOne(x) {
        mcl._mclBn_finalExp(x, x)
        return mcl._mclBnGT_isOne(x)
      },
    },
  }
}

function firstGroup(mcl: MclModule): GroupOperations {
  return {
    degree: 1,
    isZero: mcl._mclBnG1_isZero,
    isOnCurve: mcl._mclBnG1_isValid,
    isEqual: mcl._mclBnG1_isEqual,
    normalize: mcl._mclBnG1_normalize,
    double: mcl._mclBnG1_dbl,
    add: mcl._mclBnG1_add,
    subtract: mcl._mclBnG1_sub,
  }
}

function secondGroup(mcl: MclModule): GroupOperations {
  return {
    degree: 2,
    isZero: mcl._mclBnG2_isZero,
    isOnCurve: mcl._mclBnG2_isValid,
    isEqual: mcl._mclBnG2_isEqual,
    normalize: mcl._mclBnG2_normalize,
    double: mcl._mclBnG2_dbl,
    add: mcl._mclBnG2_add,
    subtract: mcl._mclBnG2_sub,
  }
}
