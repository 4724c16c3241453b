/** Stack items removed and added per opcode, from the key on; `-` is undefined. */
const ROWS: Readonly<Record<number, string>> = {
  0: '00 21 21 21 21 21 21 21 31 31 21 21',
  16: '21 21 21 21 21 11 21 21 21 11 21 21 21 21 11',
  32: '21',
  48: '01 11 01 01 01 11 01 30 01 30 01 11 40 01 30 11',
  64: '11 01 01 01 01 01 01 01 01 11 01',
  80: '10 11 20 20 11 20 10 20 01 01 01 00 11 20 30 01',
  96: '01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01',
  112: '01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01',
  160: '20 30 40 50 60',
  240: '31 71 71 20 61 41 - - - - 61 - - 20 00 10',
}

export interface OpcodeShape {
  readonly removed: Uint8Array
  readonly added: Uint8Array
}

function build(): OpcodeShape {
  const removed = new Uint8Array(256)
  const added = new Uint8Array(256)
  for (const [first, row] of Object.entries(ROWS)) {
    row.split(' ').forEach((entry, i) => {
      removed[Number(first) + i] = entry === '-' ? 0 : Number(entry[0])
      added[Number(first) + i] = entry === '-' ? 0 : Number(entry[1])
    })
  }
  for (let n = 1; n <= 16; n++) {
    removed[0x7f + n] = n
    added[0x7f + n] = n + 1
    removed[0x8f + n] = n + 1
    added[0x8f + n] = n + 1
  }
  return { removed, added }
}

export const SHAPE: OpcodeShape = build()
