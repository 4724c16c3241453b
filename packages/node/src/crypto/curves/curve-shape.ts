/** The twist gives the constants of endomorphisms; RFC 9380, appendix G.3. */
export interface CurveShape {
  readonly modulus: bigint
  readonly order: bigint
  readonly fieldBytes: number
  /** Bytes per coordinate, including leading zeros. */
  readonly slotBytes: number
  /** Whether the imaginary part of an extension field element comes first. */
  readonly imaginaryFirst: boolean
}

export const BN254: CurveShape = {
  modulus: 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n,
  order: 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n,
  fieldBytes: 32,
  slotBytes: 32,
  imaginaryFirst: true,
}
/** Modulus and order follow from this parameter. */
export const BN254_SEED = 4965661367192848881n
/** (9 + i)^((p - 1) / 3) and (9 + i)^((p - 1) / 2) */
export const BN254_TWIST_X = [
  0x2fb347984f7911f74c0bec3cf559b143b78cc310c2c3330c99e39557176f553dn,
  0x16c9e55061ebae204ba4cc8bd75a079432ae2a1d0b7c9dce1665d51c640fcba2n,
] as const
export const BN254_TWIST_Y = [
  0x63cf305489af5dcdc5ec698b6e2f9b9dbaae0eda9c95998dc54014671a0135an,
  0x7c03cbcac41049a0704b5a7ec796f2b21807dc98fa25bd282d37f632623b0e3n,
] as const

export const BLS12_381: CurveShape = {
  modulus: 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
  order: 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n,
  fieldBytes: 48,
  slotBytes: 64,
  imaginaryFirst: false,
}
/** The parameter is negative. */
export const BLS12_SEED = 0xd201000000010000n
/** (x, y) -> (root * x, y) multiplies points of the subgroup by -seed^2. */
export const BLS12_CUBE_ROOT = 0x5f19672fdf76ce51ba69c6076a0f77eaddb3a93be6f89688de17d813620a00022e01fffffffefffen
/** The inverses of (1 + i)^((p - 1) / 3) and (1 + i)^((p - 1) / 2). */
export const BLS12_TWIST_X = [
  0n,
  0x1a0111ea397fe699ec02408663d4de85aa0d857d89759ad4897d29650fb85f9b409427eb4f49fffd8bfd00000000aaadn,
] as const
export const BLS12_TWIST_Y = [
  0x135203e60180a68ee2e9c448d77a2cd91c3dedd930b1cf60ef396489f61eb45e304466cf3e67fa0af1ee7b04121bdea2n,
  0x6af0e0437ff400b6831e36d6bd17ffe48395dabc2d3435e77f76e17009241c5ee67992f72ec05f4c81084fbede3cc09n,
] as const
