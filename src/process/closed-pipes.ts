/**
 * Lets the program go on when nobody reads what it says any more, as behind `| head`: a result that is not wanted is no
 * failure, and a service does not end with the terminal that it was started from.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
