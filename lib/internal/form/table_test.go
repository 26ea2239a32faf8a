package form_test

import (
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// What says which row it is stays whole as long as anything else can give way.
func TestTableKeepsItsFirstColumn(t *testing.T) {
	header := []string{"ID", "TIME", "FROM", "TOPIC"}
	rows := [][]string{{"02de8f68", "30 min ago", "deployment-agent", "a-topic-that-is-long"}}
	for width, want := range map[int]string{
		44: "ID        TIME        FROM        TOPIC\n02de8f68  30 min ago  deploymen…  a-topic-t…\n",
		32: "ID        TIME    FROM    TOPIC\n02de8f68  30 mi…  deplo…  a-top…\n",
		30: "ID      TIME    FROM    TOPIC\n02de8…  30 mi…  deplo…  a-top…\n",
		10: "ID      TIME    FROM    TOPIC\n02de8…  30 mi…  deplo…  a-top…\n",
	} {
		if got := form.Table(width, header, rows); got != want {
			t.Errorf("%d cells: got\n%swant\n%s", width, got, want)
		}
	}
}
