/** The table of hardware.md in the repository's root. */
export interface HardwareMinimum {
  /** As a warning names it: "a validator on a public network". */
  readonly of: string
  readonly processors: number
  readonly memoryBytes: number
  /** Size of the disk that holds an execution client's data; other roles store little. */
  readonly diskBytes: number
}

export const PUBLIC_MINIMUM: HardwareMinimum = {
  of: 'a validator on a public network',
  processors: 8,
  memoryBytes: 32e9,
  diskBytes: 1e12,
}

export const DEVELOPMENT_MINIMUM: HardwareMinimum = {
  of: 'a development network',
  processors: 2,
  memoryBytes: 3e9,
  diskBytes: 1e9,
}
