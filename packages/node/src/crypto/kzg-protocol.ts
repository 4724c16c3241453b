export type KzgRequest =
  | { readonly op: 'commit'; readonly id: number; readonly blob: Uint8Array }
  /** Answered with the 128 cell proofs, concatenated. */
  | { readonly op: 'prove-cells'; readonly id: number; readonly blob: Uint8Array }
  | { readonly op: 'prove'; readonly id: number; readonly blob: Uint8Array; readonly commitment: Uint8Array }
  | {
      readonly op: 'verify-blob'
      readonly id: number
      readonly blob: Uint8Array
      readonly commitment: Uint8Array
      readonly proof: Uint8Array
    }
  | {
      /** The main thread waits on `answer`: 1 valid, 2 invalid, 3 failed. */
      readonly op: 'verify-point'
      readonly answer: SharedArrayBuffer
      readonly commitment: Uint8Array
      readonly z: Uint8Array
      readonly y: Uint8Array
      readonly proof: Uint8Array
    }

export type KzgResponse = { readonly id: number; readonly result: Uint8Array | boolean } | { readonly id: number; readonly failure: string }

export const POINT_VALID = 1
export const POINT_INVALID = 2
export const POINT_FAILED = 3
