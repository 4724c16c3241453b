import { type EVMBLSInterface, type EVMBN254Interface, EVMError, NobleBLS, NobleBN254 } from '@ethereumjs/evm'
import { type CurveResult, type PairingCurves, padLeft } from '@keelson/primitives'

export interface EngineCurves {
  readonly bn254: EVMBN254Interface
  readonly bls: EVMBLSInterface
}

const TRUE = padLeft(Uint8Array.of(1), 32)
const FALSE = new Uint8Array(32)

export function engineCurves(curves: PairingCurves | null): EngineCurves {
  if (curves === null) return { bn254: new NobleBN254(), bls: new NobleBLS() }
  const { bn254, bls12 } = curves
  return {
    bn254: {
      add: (input) => valid(bn254.add(input)),
      mul: (input) => valid(bn254.multiply(input)),
      pairing: (input) => word(valid(bn254.pairing(input))),
    },
    bls: {
      addG1: (input) => valid(bls12.addG1(input)),
      addG2: (input) => valid(bls12.addG2(input)),
      msmG1: (input) => valid(bls12.sumG1(input)),
      msmG2: (input) => valid(bls12.sumG2(input)),
      mapFPtoG1: (input) => valid(bls12.mapToG1(input)),
      mapFP2toG2: (input) => valid(bls12.mapToG2(input)),
      pairingCheck: (input) => word(valid(bls12.pairing(input))),
    },
  }
}

function valid<T>(result: CurveResult<T>): T {
  if (result === null) throw new EVMError(EVMError.errorMessages.BLS_12_381_POINT_NOT_ON_CURVE)
  return result
}

function word(holds: boolean): Uint8Array {
  return (holds ? TRUE : FALSE).slice()
}
