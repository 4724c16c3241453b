export * from './tier1-exports'

/** Executes the outermost message of the context. */
export function execute(): void {
  unreachable()
}
