/** The values that a schedule may give a fault. */

export interface NumberRange {
  readonly least: number
  readonly most: number
  readonly isWhole: boolean
}

export type ParameterType = NumberRange | 'flag' | 'names'
export type FaultParameters = Readonly<Record<string, number | boolean | readonly string[]>>

export function whole(least: number, most: number): NumberRange {
  return { least, most, isWhole: true }
}

export function fraction(least: number, most: number): NumberRange {
  return { least, most, isWhole: false }
}

/** Throws an Error that names `where`, what was expected and the value. */
export function numberIn(value: unknown, where: string, { least, most, isWhole }: NumberRange): number {
  const isNumber = typeof value === 'number' && (isWhole ? Number.isInteger(value) : Number.isFinite(value))
  if (isNumber && value >= least && value <= most) return value
  throw new Error(`${where}: expected a ${isWhole ? 'whole number' : 'number'} from ${least} to ${most}, got ${value}`)
}
