// GORM: migrations, their repetition, associations, locking and errors.
package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"time"

	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

type Pet struct {
	ID      uint
	OwnerID uint
	Name    string `gorm:"size:40;index:by_name,sort:desc"`
}

type Label struct {
	ID   uint
	Word string
}

type Owner struct {
	gorm.Model
	Name   string `gorm:"size:60;not null;uniqueIndex;comment:the name"`
	Age    uint8  `gorm:"default:3;check:age_limit,age < 200"`
	Born   *time.Time
	Money  float64 `gorm:"type:decimal(10,2);default:1.50"`
	Kind   string  `gorm:"type:enum('a','b');default:'a'"`
	Raw    []byte
	Doc    string  `gorm:"type:json"`
	Twice  int     `gorm:"->;type:int GENERATED ALWAYS AS (age * 2) STORED"`
	Pets   []Pet   `gorm:"constraint:OnUpdate:CASCADE,OnDelete:CASCADE"`
	Labels []Label `gorm:"many2many:owner_labels"`
}

func must(what string, err error) {
	if err != nil {
		fmt.Println("FAILED  gorm", what+":", err)
		os.Exit(1)
	}
	fmt.Println("ok      gorm", what)
}

func same(what string, want, got any) {
	if !reflect.DeepEqual(want, got) {
		must(what, fmt.Errorf("expected %v, got %v", want, got))
	}
}

func main() {
	config := &gorm.Config{PrepareStmt: true, TranslateError: true, Logger: logger.Discard}
	db, err := gorm.Open(mysql.Open(os.Getenv("WEIR_DSN")), config)
	must("open", err)
	for i := 0; i < 3; i++ {
		must("migrate", db.AutoMigrate(&Owner{}, &Pet{}, &Label{}))
	}
	m := db.Migrator()
	same("names", []bool{true, true, true, true}, []bool{m.HasTable(&Owner{}), m.HasColumn(&Owner{}, "Money"), m.HasIndex(&Pet{}, "by_name"), m.HasConstraint(&Owner{}, "age_limit")})
	types, err := m.ColumnTypes(&Owner{})
	must("column types", err)
	for _, t := range types {
		if t.Name() == "money" {
			p, s, _ := t.DecimalSize()
			same("decimal", []int64{10, 2}, []int64{p, s})
		}
	}
	indexes, err := m.GetIndexes(&Pet{})
	must("indexes", err)
	same("indexes", 3, len(indexes))

	now := time.Now().Truncate(time.Millisecond)
	owner := Owner{Name: "n", Born: &now, Raw: []byte{0, 255, 39}, Doc: `{"a": 1}`, Pets: []Pet{{Name: "p"}, {Name: "q"}}, Labels: []Label{{Word: "w"}}}
	must("create", db.Create(&owner).Error)
	var back Owner
	must("read", db.Preload("Pets").Preload("Labels").First(&back, "name = ?", "n").Error)
	same("read", []any{2, 1, uint8(3), 1.5, "a", 6, []byte{0, 255, 39}, true}, []any{len(back.Pets), len(back.Labels), back.Age, back.Money, back.Kind, back.Twice, back.Raw, back.Born.Equal(now)})
	err = db.Create(&Owner{Name: "n", Doc: "{}"}).Error
	same("duplicate", true, errors.Is(err, gorm.ErrDuplicatedKey))
	err = db.Create(&Pet{OwnerID: 999}).Error
	same("foreign key", true, errors.Is(err, gorm.ErrForeignKeyViolated))
	must("upsert", db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&Owner{Name: "n", Age: 9, Doc: "{}"}).Error)
	must("transaction", db.Transaction(func(tx *gorm.DB) error {
		var locked []Owner
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Find(&locked).Error; err != nil {
			return err
		}
		same("locked", 1, len(locked))
		return tx.Transaction(func(inner *gorm.DB) error { return inner.Model(&locked[0]).Update("age", 11).Error })
	}))
	must("change a column", m.AlterColumn(&Pet{}, "Name"))
	must("rename", m.RenameColumn(&Pet{}, "name", "title"))
	must("rename back", m.RenameColumn(&Pet{}, "title", "name"))
	must("drop", m.DropTable("owner_labels", &Pet{}, &Label{}, &Owner{}))
}
