import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Runs slow files first; otherwise one worker ends with a long one while the other has no work. Times are those of an
 * earlier run; without one, the larger come first, and a few short but slow ones.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: readonly TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification): boolean => /\.(slow|long)\.test\.ts$/.test(moduleId);
    const { slow = [], quick = [] } = Object.groupBy(await super.sort([...files]), (file) =>
      isSlow(file) ? "slow" : "quick",
    );
    return [...slow, ...quick];
  }
}
