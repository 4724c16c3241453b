/** Points and field elements are addresses in `wasmMemory`. */
export interface MclModule {
  readonly wasmMemory: { readonly buffer: ArrayBuffer }
  _malloc(bytes: number): number
  _mclBn_init(curve: number, compiledFor: number): number
  _mclBn_verifyOrderG1(verify: number): void
  _mclBn_verifyOrderG2(verify: number): void
  _mclBn_millerLoopVec(z: number, g1: number, g2: number, count: number): void
  _mclBn_finalExp(z: number, x: number): void
  _mclBnGT_mul(z: number, x: number, y: number): void
  _mclBnGT_setInt32(x: number, value: number): void
  _mclBnGT_isOne(x: number): number
  _mclBnFr_setBigEndianMod(x: number, bytes: number, length: number): number
  _mclBnFp_setBigEndianMod(x: number, bytes: number, length: number): number
  _mclBnFp_neg(z: number, x: number): void
  _mclBnFp_mul(z: number, x: number, y: number): void
  _mclBnFp2_mul(z: number, x: number, y: number): void
  _mclBnFp_getLittleEndian(bytes: number, length: number, x: number): number
  _mclBnG1_isZero(x: number): number
  _mclBnG1_isValid(x: number): number
  _mclBnG1_isEqual(x: number, y: number): number
  _mclBnG1_normalize(z: number, x: number): void
  _mclBnG1_dbl(z: number, x: number): void
  _mclBnG1_add(z: number, x: number, y: number): void
  _mclBnG1_sub(z: number, x: number, y: number): void
  _mclBnG1_mul(z: number, x: number, scalar: number): void
  _mclBnG2_isZero(x: number): number
  _mclBnG2_isValid(x: number): number
  _mclBnG2_isEqual(x: number, y: number): number
  _mclBnG2_normalize(z: number, x: number): void
  _mclBnG2_dbl(z: number, x: number): void
  _mclBnG2_add(z: number, x: number, y: number): void
  _mclBnG2_sub(z: number, x: number, y: number): void
}
